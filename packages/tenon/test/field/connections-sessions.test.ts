// What servers of the field say when they have forgotten a session: a client opens a new one (F2.1).
import { connect, statusOf, SessionLostError, type ConnectOptions, type JsonObject } from "tenon";
import type { AuthProvider } from "tenon/auth";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { describe, expect, test } from "vitest";
import { quiet, scriptedHttp, type Reply, type Script, type ScriptedHttp } from "../http-client/scripted-http.ts";
import { failureOf } from "../support/failure-of.ts";
import { closing } from "../support/matrix.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

type Refuse = (reply: Reply, message: JsonObject) => void;

const says =
  (status: number, code: number, message: string, more: { id?: true; headers?: Record<string, string> } = {}): Refuse =>
  (reply, request) =>
    reply.json({ jsonrpc: "2.0", id: more.id === true ? request["id"] : null, error: { code, message } }, status, more.headers);
const text =
  (status: number, body: string, headers?: Record<string, string>): Refuse =>
  (reply) =>
    reply.text(body, status, headers);

/** The answers to a session that is not known, by what sends them. */
const REFUSALS: readonly (readonly [string, Refuse])[] = [
  ["the samples of the official SDK", says(400, -32000, "Bad Request: No valid session ID provided")],
  ["a server that was started again", says(400, -32000, "Bad Request: Server not initialized")],
  ["400 as text", text(400, "Invalid or missing session ID")],
  ["400 with the id of the request", says(400, -32600, "Session not found", { id: true })],
  ["400 without any words", text(400, "")],
  ["401 without a challenge", text(401, "Unauthorized: Session not found")],
  ["401 invalid_token for any unknown session", text(401, "", { "www-authenticate": 'Bearer error="invalid_token"' })],
  ["403", says(403, -32001, "Mcp-Session-Id principal mismatch")],
  ["404", says(404, -32001, "Session not found")],
  ["404 with the id of the request", says(404, -32001, "Session not found", { id: true })],
  ["405 without any words", text(405, "")],
  ["406", says(406, -32000, "Not Acceptable")],
  ["410", text(410, "Gone")],
  ["415", text(415, "")],
  ["422", text(422, "Unexpected message, expect initialize request")],
  ["200 with an error for no request", says(200, -32000, "No session")],
  ["200 with the id of the request", says(200, -32001, "Session not found", { id: true })],
  ["200 with the code of language servers", says(200, -32002, "Server not initialized", { id: true })],
  [
    "an event stream with an error for no request",
    (reply) => {
      reply.stream();
      reply.event({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Session terminated" } });
      reply.response.end();
    },
  ],
  ["500 that says so", says(500, -32603, "Error POSTing to endpoint (HTTP 400): No valid session ID provided")],
];

const TOOLS = [
  { name: "reads", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
  { name: "writes", inputSchema: { type: "object" } },
];

interface Forgetful {
  readonly server: ScriptedHttp;
  readonly forget: () => void;
  readonly handshakes: () => number;
}

/** A server with sessions that says `refuse` to each session that it does not know. */
async function forgetful(refuse: Refuse, wrap: (script: Script) => Script = quiet): Promise<Forgetful> {
  let known = new Set<unknown>();
  let count = 0;
  const server = await scriptedHttp(
    wrap((request, reply) => {
      const { message } = request;
      if (request.headers["mcp-method"] !== undefined) return reply.error(-32000, 400, { id: null });
      if (message["method"] === "initialize") {
        const id = `s-${++count}`;
        known.add(id);
        const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
        return reply.result(result, { "mcp-session-id": id });
      }
      if (!known.has(request.headers["mcp-session-id"])) return refuse(reply, message);
      if (message["id"] === undefined) return void reply.response.writeHead(202).end();
      if (message["method"] === "tools/list") return reply.result({ tools: TOOLS });
      return reply.result({ content: [{ type: "text", text: "ok" }] });
    }),
  );
  return {
    server,
    forget: () => void (known = new Set()),
    handshakes: () => server.methods.filter((m) => m === "initialize").length,
  };
}

const open = (url: string, options?: ConnectOptions) => closing(connect(url, { validateOutput: false, ...options }));

describe.each(REFUSALS)("a forgotten session, as %s says it", (_what, refuse) => {
  test("what may be repeated is repeated in a new session; the rest fails once, and the next call works [FD-61]", async () => {
    const { server, forget, handshakes } = await forgetful(refuse);
    const clock = new VirtualClock();
    const client = await open(server.url, { clock });
    await client.listTools();
    forget();
    const [list, read] = await Promise.all([client.listTools(), client.callTool("reads")]);
    expect([list.tools.length, read.isError ?? false, handshakes()]).toEqual([2, false, 2]);
    await clock.advance(60_000);
    forget();
    await failureOf(client.callTool("writes"));
    expect(await client.callTool("writes")).toMatchObject({ content: [{ text: "ok" }] });
    expect(handshakes()).toBe(3);
  });

  test("a group and a gateway go on, too [FD-61]", async () => {
    const { server, forget } = await forgetful(refuse);
    const group = await ClientSessionGroup.connect({ s: { url: server.url } }, { readyTimeout: Infinity });
    await using _group = { [Symbol.asyncDispose]: () => group.close() };
    const gateway = createGateway({ servers: { s: { url: server.url } } });
    await using _gateway = { [Symbol.asyncDispose]: () => gateway.close() };
    const client = await closing(connect(gateway));
    await client.listTools();
    forget();
    for (const call of [() => group.callTool("s__writes"), () => client.callTool("s__writes")]) {
      await call().catch(() => undefined); // it may have been done
      expect(await call()).toMatchObject({ content: [{ text: "ok" }] });
    }
    expect(group.servers.get("s")?.state).toBe("connected");
  });
});

describe("a refusal for another reason", () => {
  test("costs one handshake a minute, and its error reaches the caller [FD-61]", async () => {
    const { server, handshakes } = await forgetful(text(410, ""), (script) =>
      quiet((request, reply) =>
        request.message["method"] === "tools/call" ? reply.text("not for you", 403) : script(request, reply),
      ),
    );
    const clock = new VirtualClock();
    const client = await open(server.url, { clock });
    for (let i = 0; i < 5; i++) expect(statusOf(await failureOf(client.callTool("writes")))).toBe(403);
    expect(handshakes()).toBe(2);
    await clock.advance(60_000);
    await failureOf(client.callTool("writes"));
    expect(handshakes()).toBe(3);
  });

  test.each([
    ["it names the request and its arguments", says(400, -32602, "x is not a number", { id: true })],
    ["the method is unknown", says(400, -32601, "Method not found")],
    ["there are too many requests", text(429, "slow down")],
    ["the body is too large", text(413, "")],
    ["the server wants another login", text(401, "", { "www-authenticate": "Bearer" })],
    ["the server wants more scope", text(403, "", { "www-authenticate": 'Bearer error="insufficient_scope", scope="x"' })],
    ["the server is away", text(502, "<h1>Bad gateway</h1>")],
    [
      "its result is nested too deep",
      (reply, { id }) =>
        reply.text(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"x":${"[".repeat(100)}${"]".repeat(100)}}}`, 200, {
          "content-type": "application/json",
        }),
    ],
  ])("is no reason for a handshake if %s [FD-61]", async (_what, refuse) => {
    const { server, handshakes } = await forgetful(text(410, ""), (script) =>
      quiet((request, reply) =>
        request.message["method"] === "tools/call" ? refuse(reply, request.message) : script(request, reply),
      ),
    );
    const client = await open(server.url);
    await failureOf(client.callTool("writes"));
    expect(handshakes()).toBe(1);
  });

  test("a handshake that is refused as well leaves the session as it was [FD-61]", async () => {
    let isClosed = false;
    const { server } = await forgetful(text(400, ""), (script) =>
      quiet((request, reply) => (isClosed ? reply.text("closed for maintenance", 403) : script(request, reply))),
    );
    const client = await open(server.url);
    await client.listTools();
    isClosed = true;
    expect(await failureOf(client.listTools())).toMatchObject({ status: 403, data: { body: "closed for maintenance" } });
    isClosed = false;
    expect((await client.listTools()).tools).toHaveLength(2);
    expect(server.requests.at(-1)!.headers["mcp-session-id"]).toBe("s-1");
  });

  test("a group does not stay connected to a server that refuses calls and handshakes [FD-61]", async () => {
    let isClosed = false;
    const { server } = await forgetful(text(400, ""), (script) =>
      quiet((request, reply) => (isClosed ? reply.text("bad", 400) : script(request, reply))),
    );
    const group = await ClientSessionGroup.connect(
      { s: { url: server.url } },
      { readyTimeout: Infinity, onServerError: () => undefined },
    );
    await using _group = { [Symbol.asyncDispose]: () => group.close() };
    isClosed = true;
    for (let i = 0; i < 6; i++) await failureOf(group.callTool("s__writes"));
    await expect.poll(() => group.servers.get("s")?.state).not.toBe("connected");
  });
});

test("an error that says why names the server's words in its cause [FD-61]", async () => {
  const { server, forget } = await forgetful(says(400, -32000, "Bad Request: No valid session ID provided"));
  const client = await open(server.url);
  await client.listTools();
  forget();
  const error = await failureOf(client.callTool("writes"));
  expect(error).toBeInstanceOf(SessionLostError);
  expect(error).toMatchObject({
    message: "The server no longer knows this session (400)",
    cause: { message: /No valid session ID/ },
  });
});

describe("a login", () => {
  test.each([
    ["without a challenge", text(401, "Unauthorized: session not found")],
    ["with invalid_token", text(401, "", { "www-authenticate": 'Bearer error="invalid_token"' })],
  ])(
    "nobody is asked to log in for a forgotten session that is refused %s, and the call is made [FD-61]",
    async (_what, refuse) => {
      const { server, forget } = await forgetful(refuse);
      const asked: (boolean | undefined)[] = [];
      const auth: AuthProvider = {
        authorizerFor: () => ({
          sign: () => ({ authorization: "Bearer t" }),
          settle: ({ status }, _request, options) => {
            if (status === 401) asked.push(options?.silent);
            return false;
          },
        }),
      };
      const client = await closing(connect({ url: server.url, auth }, { validateOutput: false }));
      await client.listTools();
      forget();
      expect(await client.callTool("writes")).toMatchObject({ content: [{ text: "ok" }] });
      expect(asked).toEqual([true]);
    },
  );
});

describe("the standing stream", () => {
  test.each([400, 404, 405, 501])(
    "HTTP %i after a handshake means that there is none: no alarm, and no new session [FD-62]",
    async (status) => {
      const { server, handshakes } = await forgetful(text(410, ""), (script) => (request, reply) => {
        if (request.method === "GET") return reply.text("no", status);
        return request.method === "POST" ? script(request, reply) : void reply.response.writeHead(405).end();
      });
      const errors: Error[] = [];
      const client = await open(server.url, { onError: (error) => errors.push(error) });
      await server.received("GET");
      await client.listTools();
      await client.listTools();
      expect([errors, handshakes()]).toEqual([[], 1]);
    },
  );

  test("one that ends because a new session replaces its own is no fault", async () => {
    const { server, forget } = await forgetful(text(404, ""), (script) => (request, reply) => {
      if (request.method === "POST") return script(request, reply);
      return request.method === "GET" ? reply.stream() : void reply.response.writeHead(405).end();
    });
    const errors: Error[] = [];
    const client = await open(server.url, { onError: (error) => errors.push(error) });
    await server.received("GET");
    forget();
    expect((await client.listTools()).tools).toHaveLength(2);
    await server.received("GET", 2);
    expect(errors).toEqual([]);
  });
});
