// Each refusal says in words what is wrong, and in headers what the client can do about it.
import { describe, expect, test } from "vitest";
import type { McpServer, EndpointAuth } from "tenon/server";
import type { ServeHttpOptions } from "tenon/node";
import type { JsonObject } from "tenon";
import { initialize, mirrored, serve, statelessBody, type Received, type Sent } from "./support.ts";
import { testServer } from "../support/test-server.ts";

const VERSION = { "mcp-protocol-version": "2025-11-25" };
const LISTEN = { notifications: { toolsListChanged: true } };
const ping = (id = 1): JsonObject => ({ jsonrpc: "2.0", id, method: "ping" });
const listen = (headers: Sent["headers"] = {}): Sent => ({
  headers: { ...mirrored("subscriptions/listen", LISTEN), ...headers },
  body: statelessBody("subscriptions/listen", LISTEN),
});

function makeServer(): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("echo", {}, () => "hi");
  return server;
}

const textOf = ({ status, json }: Received): unknown => [status, (json["error"] as JsonObject)["message"]];

/** In a session, if `session` is true. */
type Row = readonly [what: string, sent: Sent, status: number, text: string, options?: ServeHttpOptions & { session?: true }];

const BOTH_TYPES = "Not acceptable: the client must accept application/json and text/event-stream";
const PLAIN = { "content-type": "text/plain" };
const REFUSED: readonly Row[] = [
  [
    "a body of another type",
    { body: "{}", headers: PLAIN },
    415,
    "Unsupported media type: Content-Type must be application/json",
  ],
  [
    "a compressed body",
    { body: "{}", headers: { "content-encoding": "gzip" } },
    415,
    "Unsupported media type: a body must not be compressed",
  ],
  ["a client that accepts neither form", { body: ping(), headers: { accept: "text/html" } }, 406, BOTH_TYPES],
  [
    "a GET that accepts no events",
    { method: "GET", headers: { accept: "application/json" } },
    406,
    "Not acceptable: the client must accept text/event-stream",
    { session: true },
  ],
  [
    "a stream for a client that accepts no events",
    listen({ accept: "application/json" }),
    406,
    "Not acceptable: the client must accept text/event-stream",
  ],
  [
    "no session",
    { body: { jsonrpc: "2.0", id: 1, method: "tools/list" }, headers: VERSION },
    400,
    "Bad request: header Mcp-Session-Id is missing",
  ],
  ["no session to listen to", { method: "GET", headers: VERSION }, 400, "Bad request: header Mcp-Session-Id is missing"],
  ["an unknown session", { body: ping(), headers: { ...VERSION, "mcp-session-id": "x" } }, 404, "Session not found"],
  ["an unknown session to end", { method: "DELETE", headers: { ...VERSION, "mcp-session-id": "x" } }, 404, "Session not found"],
  [
    "an unknown event",
    { method: "GET", headers: { "last-event-id": "x" } },
    400,
    "Bad request: unknown event id",
    { session: true },
  ],
  [
    "an unknown version",
    { body: ping(), headers: { "mcp-protocol-version": "1.0" } },
    400,
    "Bad request: unsupported protocol version",
    { session: true },
  ],
  [
    "an array of messages",
    { body: [ping(1), ping(2)] },
    400,
    "Batches are not part of this protocol revision",
    { session: true },
  ],
  ["another method", { method: "PUT", headers: { accept: "*/*" } }, 405, "Method not allowed"],
  [
    "another host",
    { body: ping(), headers: { host: "example.com" } },
    421,
    'Forbidden: this Host is not allowed here (option "allowedHosts")',
  ],
  [
    "another origin",
    { body: ping(), headers: { origin: "https://example.com" } },
    403,
    'Forbidden: this Origin is not allowed here (option "allowedOrigins")',
  ],
  [
    "a response to no request",
    { body: { jsonrpc: "2.0", id: 1, result: {} }, headers: mirrored("x", {}) },
    400,
    "A response was sent, but the server has sent no request",
  ],
  [
    "a body that is too large",
    { body: ping() },
    413,
    'Limit "limits.maxBodyBytes" of 10 exceeded',
    { limits: { maxBodyBytes: 10 } },
  ],
];

const rows = REFUSED.map(([what, sent, status, text, { session = false, ...options } = {}]) => ({
  what,
  sent,
  status,
  text,
  session,
  options,
}));

test.each(rows)("refused: $what", async ({ sent, status, text, session, options }) => {
  const http = await serve(makeServer(), options);
  const own = session ? (await http.open("2025-11-25")).headers : {};
  expect(textOf(await http.raw({ ...sent, headers: { ...own, ...sent.headers } }))).toEqual([status, text]);
});

describe("what a client can do", () => {
  test("405 names the methods that there are", async () => {
    const put: Sent = { method: "PUT" };
    expect((await (await serve(makeServer())).raw(put)).headers.allow).toBe("POST, GET, DELETE");
    const without = await serve(makeServer(), { sessions: false });
    for (const method of ["PUT", "GET", "DELETE"]) expect((await without.raw({ method })).headers.allow).toBe("POST");
    const stateless = { method: "GET", headers: { "mcp-protocol-version": "2026-07-28" } };
    expect((await (await serve(makeServer())).raw(stateless)).headers.allow).toBe("POST");
  });

  test.each([
    [{ max: 1 }, 503, "sessions.max"],
    [{ maxPerPrincipal: 1 }, 429, "sessions.maxPerPrincipal"],
  ])("a limit of sessions, %j: when to come back, and which limit it was", async (sessions, status, limit) => {
    const http = await serve(makeServer(), { sessions });
    await http.open("2025-11-25");
    const refused = await http.raw({ body: initialize("2025-11-25") });
    expect(textOf(refused)).toEqual([status, `Busy (limit "${limit}")`]);
    expect(refused.json).toMatchObject({ id: null, error: { code: -32603, data: { limit } } });
    expect(refused.headers["retry-after"]).toBe("5");
  });

  test("an authorizer that fails is 500, and the operator hears why", async () => {
    const errors: string[] = [];
    const auth: EndpointAuth = {
      authorize: () => Promise.reject(new Error("no keys")),
      insufficientScope: () => ({ status: 403, headers: [], message: "no" }),
    };
    const http = await serve(makeServer(), { auth, onError: ({ message }) => errors.push(message) });
    expect(textOf(await http.post("tools/list"))).toEqual([500, "Internal error"]);
    expect(errors).toEqual(["no keys"]);
  });
});
