/** HTTP servers as their owners wrote them on 1.x: Express with a map of sessions, without sessions, and with web requests. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import express, { type Express } from "express";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { requireBearerAuth } from "mcp-sdk-v1/server/auth/middleware/bearerAuth.js";
import { SSEServerTransport } from "mcp-sdk-v1/server/sse.js";
import { type EventStore, StreamableHTTPServerTransport as OfficialTransport } from "mcp-sdk-v1/server/streamableHttp.js";
import { CallToolResultSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { LATEST_PROTOCOL_VERSION } from "tenon";
import { connect } from "tenon/client";
import { expect, onTestFinished, test, vi } from "vitest";
import { McpServer } from "../src/server/mcp.ts";
import { StreamableHTTPServerTransport } from "../src/server/streamableHttp.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/server/webStandardStreamableHttp.ts";
import { isInitializeRequest } from "../src/types.ts";
import { weatherServer } from "./weather.ts";

async function listening(app: Express | HttpServer): Promise<string> {
  const http = app instanceof Function ? createServer(app) : app;
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
}

async function officialClient(url: string): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport as never); // the transport's own type is not exact about undefined
  onTestFinished(() => client.close());
  return { client, transport };
}

/** A handler whose failure becomes a response. */
const asked =
  (work: (request: express.Request, response: express.Response) => Promise<void>): express.RequestHandler =>
  (request, response) => {
    work(request, response).catch((error: unknown) => void response.status(500).end(String(error)));
  };

const call = { name: "forecast", arguments: { city: "Rome" } };
const answer = { content: [{ type: "text", text: "Rome: 20" }], structuredContent: { degrees: 20 } };

interface Mapped {
  readonly app: Express;
  readonly sessions: Map<string, StreamableHTTPServerTransport>;
  readonly closed: (string | undefined)[];
}

/** The usual shape: a transport and a server for each session, in a map by the session's id. */
function withSessions(makeServer: () => McpServer = weatherServer, options: object = {}): Mapped {
  const app = express();
  app.use(express.json());
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const closed: (string | undefined)[] = [];
  app.post(
    "/mcp",
    asked(async (request, response) => {
      const id = request.headers["mcp-session-id"];
      let transport = typeof id === "string" ? sessions.get(id) : undefined;
      if (transport === undefined) {
        if (id !== undefined || !isInitializeRequest(request.body)) {
          response
            .status(400)
            .json({ jsonrpc: "2.0", error: { code: -32000, message: "Bad Request: No valid session ID provided" }, id: null });
          return;
        }
        const made = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => `mine-${randomUUID()}`,
          onsessioninitialized: (session) => void sessions.set(session, made),
          ...options,
        });
        made.onclose = () => {
          closed.push(made.sessionId);
          sessions.delete(made.sessionId ?? "");
        };
        transport = made;
        await makeServer().connect(made);
      }
      await transport.handleRequest(request, response, request.body);
    }),
  );
  const bySession = asked(async (request, response) => {
    const transport = sessions.get(String(request.headers["mcp-session-id"]));
    if (transport === undefined) response.status(400).send("Invalid or missing session ID");
    else await transport.handleRequest(request, response);
  });
  app.get("/mcp", bySession).delete("/mcp", bySession);
  return { app, sessions, closed };
}

test("Express with a map of sessions serves clients of 1.x as before, with the ids of its generator", async () => {
  const { app, sessions, closed } = withSessions();
  const { client, transport } = await officialClient(await listening(app));
  expect(transport.sessionId).toMatch(/^mine-/);
  expect([...sessions.keys()]).toEqual([transport.sessionId]);
  expect(await client.callTool(call)).toEqual(answer);
  const logged: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  await client.callTool({ name: "slow" });
  await expect.poll(() => logged).toEqual(["half way"]);
  await transport.terminateSession();
  expect(sessions.size).toBe(0);
  expect(closed).toHaveLength(1);
});

test("the same program serves the newest revision, each request for itself, and what was made for it ends", async () => {
  const { app, sessions, closed } = withSessions();
  const url = await listening(app);
  await using client = await connect({ url }, { revision: LATEST_PROTOCOL_VERSION });
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("forecast");
  expect(await client.callTool("forecast", { city: "Rome" })).toMatchObject(answer);
  expect((await client.callTool("fail")).isError).toBe(true);
  await expect(client.readResource("weather://nothing")).rejects.toMatchObject({ code: -32602 });
  const progress: number[] = [];
  await client.callTool("slow", {}, { onProgress: (each) => void progress.push(each.progress) });
  expect(progress).toEqual([1]);
  expect(sessions.size).toBe(0);
  await expect.poll(() => closed.length).toBeGreaterThanOrEqual(5);
  expect(closed.every((id) => id === undefined)).toBe(true);
});

test("a client that finds out the revision takes the newest, and clients of both kinds stand side by side", async () => {
  const { app, sessions } = withSessions();
  const url = await listening(app);
  const { client: old } = await officialClient(url);
  await using client = await connect({ url });
  expect(client.protocolVersion).toBe(LATEST_PROTOCOL_VERSION);
  expect(await client.callTool("forecast", { city: "Rome" })).toMatchObject(answer);
  expect(await old.callTool(call)).toEqual(answer);
  expect(sessions.size).toBe(1);
});

test("Express without sessions serves both, with a server for each request", async () => {
  const app = express();
  app.use(express.json());
  app.post(
    "/mcp",
    asked(async (request, response) => {
      const server = weatherServer();
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      response.on("close", () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response, request.body);
    }),
  );
  const url = await listening(app);
  const { client: old } = await officialClient(url);
  expect(await old.callTool(call)).toEqual(answer);
  await using client = await connect({ url }, { revision: LATEST_PROTOCOL_VERSION });
  expect(await client.callTool("forecast", { city: "Rome" })).toMatchObject(answer);
});

test("a server that is made for each request continues what another one has asked", async () => {
  const { app } = withSessions(() => weatherServer({ repeatableHandlers: true }));
  const onElicit = () => ({ action: "accept" as const, content: { city: "Rome" } });
  await using client = await connect({ url: await listening(app) }, { revision: LATEST_PROTOCOL_VERSION, onElicit });
  expect((await client.callTool("ask")).text).toBe("accept Rome");
});

/** A program with one session, as raw requests see it. `transportClass` is of the original or of the layer. */
async function rawSession(
  transportClass: new (options: object) => StreamableHTTPServerTransport,
  isParsed: boolean,
): Promise<(body: string, headers?: Record<string, string>) => Promise<unknown>> {
  const transport = new transportClass({ sessionIdGenerator: () => "session" });
  await weatherServer().connect(transport);
  const app = express();
  if (isParsed) app.use(express.json());
  app.all(
    "/mcp",
    asked(async (request, response) => transport.handleRequest(request, response, isParsed ? request.body : undefined)),
  );
  const url = await listening(app);
  const post = async (body: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const usual = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": "session",
      "mcp-protocol-version": "2025-11-25",
    };
    const response = await fetch(url, { method: "POST", body, headers: { ...usual, ...headers } });
    const text = (await response.text()).replace(/\(error \w+\)/, "");
    const events = response.headers.get("content-type") === "text/event-stream";
    const data = events
      ? text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6)) as unknown] : []))
      : text;
    return {
      status: response.status,
      type: response.headers.get("content-type"),
      session: response.headers.get("mcp-session-id"),
      data,
    };
  };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  await post(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }));
  return post;
}

const message = (method: string, params?: object, id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

const RAW: readonly (readonly [string, string, Record<string, string>?])[] = [
  ["a call", message("tools/call", call)],
  ["a call with progress", message("tools/call", { name: "slow", _meta: { progressToken: "p" } })],
  ["an id that is text", message("tools/call", call, "one")],
  ["a list", message("prompts/list")],
  ["an unknown method", message("no/such")],
  ["a notification", JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })],
  ["a batch", `[${message("ping", undefined, 5)},${message("tools/call", call, 6)}]`],
  ["an id that is none", message("ping", undefined, 1.5)],
  ["another member", '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}'],
  ["params that are a list", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'],
  ["metadata that is none", message("ping", { _meta: 1 })],
  [
    "a second handshake",
    message("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "a", version: "1" } }),
  ],
  ["another session", message("ping"), { "mcp-session-id": "other" }],
  ["an unknown revision", message("ping"), { "mcp-protocol-version": "1999-01-01" }],
  ["JSON only", message("ping"), { accept: "application/json" }],
  ["a content type with a charset", message("ping"), { "content-type": "application/json; charset=utf-8" }],
];

test.each([true, false])("raw requests of a session get what the original gives, with a parsed body: %s", async (isParsed) => {
  const [original, layer] = [
    await rawSession(OfficialTransport as never, isParsed),
    await rawSession(StreamableHTTPServerTransport, isParsed),
  ];
  const all = isParsed ? RAW : [...RAW, ["no JSON", "{", {}] as const];
  for (const [what, body, headers] of all)
    expect([what, await layer(body, headers)]).toEqual([what, await original(body, headers)]);
});

test.each(["session", "newest"])(
  "a request of the kind %s that its client has left, or its owner has read, ends",
  async (kind) => {
    const ended: Promise<unknown>[] = [];
    let wait: (request: IncomingMessage, response: ServerResponse) => Promise<unknown> = () => Promise.resolve();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => "one" });
    await weatherServer().connect(transport);
    const app = createServer((request, response) => {
      ended.push(wait(request, response).then(async (body) => transport.handleRequest(request, response, body)));
    });
    const url = await listening(app);
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    await (await fetch(url, { method: "POST", headers, body: message("initialize", params) })).text();
    const named = kind === "session" ? { "mcp-session-id": "one" } : { "mcp-protocol-version": LATEST_PROTOCOL_VERSION };
    const left = async (body: string, size: number): Promise<void> => {
      const sent = ended.length;
      const client = httpRequest(url, { method: "POST", headers: { ...headers, ...named, "content-length": size } });
      client.on("error", () => undefined).write(body);
      await vi.waitFor(() => expect(ended).toHaveLength(sent + 1));
      client.destroy();
      await Promise.allSettled([ended.at(-1)]);
    };
    const body = message("tools/call", call);
    const gone = (_request: IncomingMessage, response: ServerResponse): Promise<unknown> => once(response, "close");
    wait = (request, response) => gone(request, response).then(() => undefined);
    await left(body, body.length);
    await left(body, body.length + 1);
    wait = (request, response) => gone(request, response).then(() => JSON.parse(body) as unknown);
    await left(body, body.length);
    wait = async (request) => request.toArray().then(() => undefined);
    const read = await fetch(url, { method: "POST", headers: { ...headers, ...named }, body });
    expect([read.status, ((await read.json()) as { error: object }).error]).toMatchObject([400, { code: -32700 }]);
  },
);

/** Events in the order in which they were sent: the store of the official examples sorts those of one millisecond by chance. */
function eventsInOrder(): EventStore {
  const events: { stream: string; message: Parameters<EventStore["storeEvent"]>[1] }[] = [];
  return {
    storeEvent: async (stream, sent) => String(events.push({ stream, message: sent })),
    async replayEventsAfter(last, { send }) {
      const { stream } = events[Number(last) - 1]!;
      for (const [index, one] of events.entries())
        if (index >= Number(last) && one.stream === stream) await send(String(index + 1), one.message);
      return stream;
    },
  };
}

test("a stream is resumed from the owner's event store", async () => {
  const { app } = withSessions(weatherServer, { eventStore: eventsInOrder(), retryInterval: 10 });
  const { client, transport } = await officialClient(await listening(app));
  const tokens: string[] = [];
  const calling = { onresumptiontoken: (token: string) => void tokens.push(token) };
  expect(await client.request({ method: "tools/call", params: { name: "slow" } }, CallToolResultSchema, calling)).toEqual({
    content: [{ type: "text", text: "done" }],
  });
  expect(tokens.length).toBeGreaterThan(0);
  const headers = {
    accept: "text/event-stream",
    "mcp-session-id": transport.sessionId!,
    "last-event-id": tokens[0]!,
    "mcp-protocol-version": "2025-11-25",
  };
  const resumed = await fetch(String((transport as unknown as { _url: URL })._url), { headers });
  expect(resumed.status).toBe(200);
  let text = "";
  for await (const chunk of resumed.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("done")) break;
  }
  expect(text).toContain("done");
});

test("what the owner's middleware says of the caller reaches the handler, on every revision", async () => {
  const makeServer = (): McpServer => {
    const server = new McpServer({ name: "who", version: "1" });
    server.tool("who", ({ authInfo, requestInfo }) => ({
      content: [{ type: "text", text: `${authInfo?.clientId} ${String(requestInfo?.headers["x-tenant"])}` }],
    }));
    return server;
  };
  const { app } = withSessions(makeServer);
  const guarded = express();
  const verifier = {
    verifyAccessToken: async (token: string) => ({
      token,
      clientId: `client of ${token}`,
      scopes: [],
      expiresAt: Date.now() / 1_000 + 60,
    }),
  };
  guarded.use(requireBearerAuth({ verifier }), app);
  const url = await listening(guarded);
  const headers = { authorization: "Bearer t", "x-tenant": "blue" };
  for (const revision of ["stateful", LATEST_PROTOCOL_VERSION] as const) {
    await using client = await connect({ url, headers }, { revision });
    expect((await client.callTool("who")).text).toBe("client of t blue");
  }
});

test("the hosts that a transport of 1.x allows hold for every revision", async () => {
  const { app } = withSessions(weatherServer, { enableDnsRebindingProtection: true, allowedHosts: ["mcp.example"] });
  const url = await listening(app);
  for (const revision of ["stateful", LATEST_PROTOCOL_VERSION] as const)
    await expect(connect({ url }, { revision })).rejects.toThrow("Invalid Host header");
});

test("web requests are served on every revision, also if the owner has read the body", async () => {
  const handle = async (request: Request): Promise<Response> => {
    const body: unknown = await request.clone().json();
    const transport = new WebStandardStreamableHTTPServerTransport();
    await weatherServer().connect(transport);
    return transport.handleRequest(request, isInitializeRequest(body) ? { parsedBody: body } : {});
  };
  for (const revision of ["stateful", LATEST_PROTOCOL_VERSION] as const) {
    await using client = await connect(
      { url: "http://localhost/mcp", fetch: (url, init) => handle(new Request(url, init)) },
      { revision },
    );
    expect(await client.callTool("forecast", { city: "Rome" })).toMatchObject(answer);
    const progress: number[] = [];
    await client.callTool("slow", {}, { onProgress: (each) => void progress.push(each.progress) });
    expect(progress).toEqual([1]);
  }
});

test("HTTP+SSE serves clients as before", async () => {
  const app = express();
  const transports = new Map<string, SSEServerTransport>();
  app.get(
    "/mcp",
    asked(async (_request, response) => {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      await weatherServer().connect(transport);
    }),
  );
  app.post(
    "/messages",
    express.json(),
    asked(async (request, response) => {
      await transports.get(String(request.url.split("sessionId=")[1]))?.handlePostMessage(request, response, request.body);
    }),
  );
  await using client = await connect({ url: await listening(app) }, { revision: "stateful" });
  expect(await client.callTool("forecast", { city: "Rome" })).toMatchObject(answer);
});
