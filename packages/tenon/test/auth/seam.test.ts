import { describe, expect, onTestFinished, test } from "vitest";
import { connect, McpError, SUPPORTED_PROTOCOL_VERSIONS, type Client } from "tenon";
import { AuthorizationError, type AuthProvider, type Authorizer, type RequestToSign } from "tenon/auth";
import { statusOf, type ConnectOptions } from "tenon/client";
import {
  quiet,
  scriptedHttp,
  stateful,
  stateless,
  type Received,
  type Reply,
  type Script,
} from "../http-client/scripted-http.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { deferred } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** Signs with a number that goes up each time a challenge is settled. */
class Counting implements Authorizer, AuthProvider {
  version = 1;
  readonly settled: { method: string; status: number; body: string | undefined }[] = [];
  readonly servers: string[] = [];
  readonly signed: { method: string; url: string }[] = [];
  settling: (request: RequestToSign) => Promise<void> = () => Promise.resolve();

  authorizerFor(server: URL): Authorizer {
    this.servers.push(server.href);
    return this;
  }

  sign({ method }: RequestToSign, url: URL): Record<string, string> {
    this.signed.push({ method, url: url.href });
    return { authorization: `Bearer ${this.version}` };
  }

  async settle({ status }: { status: number }, request: RequestToSign): Promise<boolean> {
    if (status !== 401 && status !== 403) return false;
    this.settled.push({ method: request.method, status, body: request.body });
    await this.settling(request);
    this.version++;
    return true;
  }
}

async function open(url: string, options: ConnectOptions): Promise<Client> {
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

/** Refuses every request of a kind once, with the token it has then. */
function refusing(isRefused: (request: Received) => boolean, script: Script, status = 401): Script {
  const refused = new Set<string>();
  return (request, reply) => {
    const key = `${request.method} ${String(request.message["method"])}`;
    if (!isRefused(request) || refused.has(key)) return script(request, reply);
    refused.add(key);
    return reply.text("no", status, { "www-authenticate": "Bearer" });
  };
}

const answering: Script = (request, reply) => {
  if (request.message["method"] === "tools/list")
    return reply.result({ resultType: "complete", tools: [], ttlMs: 0, cacheScope: "private" });
  if (request.message["method"] === "tools/call") {
    return reply.result({
      resultType: "complete",
      content: [{ type: "text", text: JSON.stringify((request.message["params"] as { arguments?: unknown }).arguments) }],
    });
  }
  return reply.result({ resultType: "complete" });
};

describe.each(SUPPORTED_PROTOCOL_VERSIONS)("on %s", (revision) => {
  const serving = (script: Script): Script =>
    quiet(revision === "2026-07-28" ? stateless(script) : stateful(script, { version: revision, sessionId: "s" }));

  test.each([401, 403])(
    "every request is signed; one that is refused with %d in mid-call is sent again with its body [M4.6 M5.4]",
    async (status) => {
      const server = await scriptedHttp(
        refusing(({ message }) => message["method"] === "tools/call", serving(answering), status),
      );
      const auth = new Counting();
      const client = await open(server.url, { auth, revision });
      expect((await client.callTool("t", { text: "é".repeat(1000) })).text).toBe(JSON.stringify({ text: "é".repeat(1000) }));
      const calls = server.requests.filter(({ message }) => message["method"] === "tools/call");
      expect(calls).toHaveLength(2);
      expect(calls[0]?.message).toEqual(calls[1]?.message);
      expect(calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
      for (const { headers } of server.requests) expect(headers.authorization).toMatch(/^Bearer \d$/);
      expect(auth.settled).toEqual([{ method: "POST", status, body: JSON.stringify(calls[0]?.message) }]);
      expect(auth.servers).toEqual([server.url]);
    },
  );

  test("a server that refuses for ever ends the call, after a bounded number of times", async () => {
    const server = await scriptedHttp(serving((_, reply) => reply.text("no", 401)));
    const client = await open(server.url, { auth: new Counting(), revision });
    const failure: unknown = await client.callTool("t").catch((error: unknown) => error);
    expect(statusOf(failure)).toBe(401);
    expect(server.methods.filter((method) => method === "tools/call").length).toBeLessThanOrEqual(7);
  });
});

test("the standing stream, its resumption and the end of a session are signed and settled", async () => {
  const streams: Reply[] = [];
  const server = await scriptedHttp(
    refusing(
      ({ method }) => method === "GET",
      (request, reply) => {
        if (request.method === "DELETE") return void reply.response.writeHead(204).end();
        if (request.method !== "GET") return stateful(answering, { sessionId: "s" })(request, reply);
        streams.push(reply);
        reply.stream();
        reply.event(
          { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: streams.length } },
          `e${streams.length}`,
        );
        if (streams.length === 1) reply.response.end("retry: 1\n\n");
      },
    ),
  );
  const auth = new Counting();
  const logged: unknown[] = [];
  const client = await connect(server.url, { auth, revision: "2025-11-25", onLog: ({ data }) => void logged.push(data) });
  await expect.poll(() => logged).toEqual([1, 2]);
  await client.close();
  const gets = server.requests.filter(({ method }) => method === "GET");
  expect(gets.map(({ headers }) => [headers.authorization, headers["last-event-id"]])).toEqual([
    ["Bearer 1", undefined],
    ["Bearer 2", undefined],
    ["Bearer 2", "e1"],
  ]);
  expect(server.requests.find(({ method }) => method === "DELETE")?.headers.authorization).toBe("Bearer 2");
});

test("a listen stream is settled before it begins", async () => {
  const server = await scriptedHttp(
    refusing(
      ({ message }) => message["method"] === "subscriptions/listen",
      stateless(
        (request, reply) => {
          const id = request.message["id"];
          reply.stream();
          const tag = { _meta: { "io.modelcontextprotocol/subscriptionId": id } };
          reply.event({
            jsonrpc: "2.0",
            method: "notifications/subscriptions/acknowledged",
            params: { notifications: { toolsListChanged: true }, ...tag },
          });
          reply.event({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: tag });
        },
        { tools: { listChanged: true } },
      ),
    ),
  );
  const auth = new Counting();
  const client = await open(server.url, { auth });
  const changes = await client.listen({ tools: true });
  expect((await changes[Symbol.asyncIterator]().next()).value).toMatchObject({ kind: "tools" });
  expect(auth.settled).toHaveLength(1);
});

test("the fallback to HTTP+SSE is signed and settled, on its stream and for each message [B4.4 D.1]", async () => {
  let stream: Reply | undefined;
  const server = await scriptedHttp(
    refusing(
      ({ method, path }) => method === "GET" || path === "/messages",
      (request, reply) => {
        if (request.method === "GET") {
          stream = reply;
          reply.stream();
          reply.response.write("event: endpoint\ndata: /messages\n\n");
          return;
        }
        if (request.path !== "/messages") return reply.text("no", 405);
        reply.response.writeHead(202).end();
        const { id, method } = request.message;
        if (method === "initialize")
          stream?.event({
            jsonrpc: "2.0",
            id,
            result: { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "s", version: "1" } },
          });
        if (method === "ping") stream?.event({ jsonrpc: "2.0", id, result: {} });
      },
    ),
  );
  const auth = new Counting();
  const client = await open(server.url, { auth });
  await client.ping();
  const posts = server.requests.filter(({ path }) => path === "/messages");
  expect(posts.map(({ message }) => message["method"])).toEqual([
    "initialize",
    "initialize",
    "notifications/initialized",
    "notifications/initialized",
    "ping",
    "ping",
  ]);
  for (const { headers } of server.requests) expect(headers.authorization).toMatch(/^Bearer \d$/);
  expect(auth.servers).toHaveLength(1);
});

describe("added headers are sent to the server's origin only [M4.7 R16]", () => {
  test("a redirect within the origin is followed, signed for its target; a redirect to another origin is not", async () => {
    const elsewhere = await scriptedHttp(() => undefined);
    const server = await scriptedHttp((request, reply) => {
      if (request.path === "/mcp") return void reply.response.writeHead(307, { location: "/moved?x=1" }).end();
      if (request.message["method"] === "tools/list")
        return void reply.response.writeHead(307, { location: elsewhere.url }).end();
      return quiet(stateless(answering))(request, reply);
    });
    const auth = new Counting();
    const client = await open(server.url, { auth });
    expect(auth.signed.map(({ url }) => new URL(url).pathname)).toEqual(["/mcp", "/moved"]);
    await expect(client.listTools()).rejects.toThrow("to another origin");
    expect(elsewhere.requests).toEqual([]);
  });

  test("it replaces a header of the user's with the same name, and sends none twice", async () => {
    const server = await scriptedHttp(quiet(stateless(answering)));
    const client = await connect({
      url: server.url,
      auth: new Counting(),
      headers: { Authorization: "Basic canary", "x-other": "1" },
    });
    await client.close();
    expect(server.requests[0]?.headers).toMatchObject({ authorization: "Bearer 1", "x-other": "1" });
  });

  test("the target's own is used before the option's", async () => {
    const server = await scriptedHttp(quiet(stateless(answering)));
    const [own, other] = [new Counting(), new Counting()];
    await open(server.url, { auth: own }).then((client) => client.close());
    await (await connect({ url: server.url, auth: own }, { auth: other })).close();
    expect([own.servers.length, other.servers.length]).toEqual([2, 0]);
  });

  test("authorization is not used for a target that is not a URL", async () => {
    const auth = new Counting();
    await expect(connect(testServer({ name: "a" }), { auth })).rejects.toThrow('Option "auth" is for servers at a URL');
    await expect(connect({ command: "true" }, { auth })).rejects.toThrow(TypeError);
  });
});

describe("an authorizer that fails", () => {
  const failure = new AuthorizationError({
    hop: "token",
    url: "https://as.example/token",
    problem: "it broke",
    remedy: "Mend it.",
  });

  test.each(["sign", "settle"] as const)(
    "in %s fails the call with its own error, is no sign of another revision, and no request follows",
    async (where) => {
      const server = await scriptedHttp((_, reply) => reply.text("no", 401));
      const auth = new Counting();
      auth[where] = () => {
        throw failure;
      };
      const error: unknown = await connect(server.url, { auth }).catch((reason: unknown) => reason);
      expect(error).toBe(failure);
      expect(statusOf(error)).toBe(401);
      expect(McpError.isMcpError(error)).toBe(true);
      expect(server.requests).toHaveLength(where === "sign" ? 0 : 1);
      auth[where] = () => Promise.reject(failure) as never;
      await expect(connect(server.url, { auth })).rejects.toBe(failure);
    },
  );
});

describe("time", () => {
  test("a login is not the server's time: it outlasts the call's limit, and the server's own time counts from then", async () => {
    const clock = new VirtualClock();
    const held = deferred<void>();
    const server = await scriptedHttp(
      quiet(
        stateless((request, reply) => {
          if (request.headers.authorization === "Bearer 1") return reply.text("no", 401);
        }),
      ),
    );
    const auth = new Counting();
    auth.settling = () => held.promise;
    const client = await open(server.url, { auth, clock, revision: "2026-07-28" });
    const call = client.callTool("t", {}, { timeout: 1_000 });
    const outcome = call.catch((error: unknown) => error);
    await expect.poll(() => auth.settled).toHaveLength(1);
    await clock.advance(60_000);
    held.resolve();
    await server.received("tools/call", 2);
    await turn();
    await clock.advance(900);
    expect(await Promise.race([outcome, turn()])).toBeUndefined();
    await clock.advance(400);
    expect(await outcome).toMatchObject({ name: "RequestTimeoutError", timeoutMs: 1_000 });
  });

  test("abandoning the call abandons the login", async () => {
    const server = await scriptedHttp(quiet(stateless((_, reply) => reply.text("no", 401))));
    const auth = new Counting();
    const aborted = deferred<unknown>();
    auth.settling = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.resolve(signal.reason);
          reject(signal.reason as Error);
        });
      });
    const client = await open(server.url, { auth, revision: "2026-07-28" });
    const abort = new AbortController();
    const call = client.callTool("t", {}, { signal: abort.signal });
    await expect.poll(() => auth.settled).toHaveLength(1);
    abort.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await aborted.promise;
    expect(server.methods.filter((method) => method === "tools/call")).toHaveLength(1);
  });

  test("closing the client gives it up as well", async () => {
    const server = await scriptedHttp(quiet(stateless((_, reply) => reply.text("no", 401))));
    const auth = new Counting();
    auth.settling = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const client = await connect(server.url, { auth, revision: "2026-07-28" });
    const call = client.callTool("t").catch((error: unknown) => error);
    await expect.poll(() => auth.settled).toHaveLength(1);
    await client.close();
    expect(await call).toMatchObject({ name: "ConnectionClosedError" });
  });
});
