/**
 * Clients of the SDK 1.x on Tenon: what a program gets of servers of the newest
 * revision, and that nothing changes with older ones.
 */
import { randomUUID } from "node:crypto";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import { type OAuthClientProvider, UnauthorizedError } from "mcp-sdk-v1/client/auth.js";
import { McpServer as OfficialServer } from "mcp-sdk-v1/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "mcp-sdk-v1/server/webStandardStreamableHttp.js";
import type { StreamableHTTPClientTransportOptions } from "mcp-sdk-v1/client/streamableHttp.js";
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "mcp-sdk-v1/types.js";
import type { JsonObject } from "tenon";
import { createFetchHandler, McpError as TenonError, McpServer, ResourceNotFoundError } from "tenon/server";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { Client } from "../src/client/index.ts";
import { StreamableHTTPClientTransport } from "../src/client/streamableHttp.ts";
import { text } from "./official-client.ts";
import { weatherServer } from "./weather.ts";

const ENDPOINT = new URL("http://localhost/mcp");

function newServer(): McpServer {
  const server = new McpServer({ name: "new", version: "2.0.0" }, { instructions: "Add." });
  server.tool("add", { input: z.object({ a: z.number() }), output: z.object({ sum: z.number() }) }, ({ a }) => ({ sum: a + 1 }));
  server.tool("fail", {}, (_input, ctx) => ctx.fail("Not today"));
  server.tool("work", {}, async (_input, ctx) => {
    await ctx.progress(1, 2, "half");
    await ctx.log.info("working");
    return "done";
  });
  server.tool("ask", {}, async (_input, ctx) => {
    const { action } = await ctx.elicit("city", { message: "Which city?", schema: z.object({ city: z.string() }) });
    const { model } = await ctx.sample("model", { messages: [], maxTokens: 5 });
    const [root] = await ctx.roots();
    return `${action} ${model} ${root?.uri}`;
  });
  server.tool(
    "wait",
    {},
    (_input, ctx) => new Promise((_resolve, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))),
  );
  server.resource("note://today", {}, () => "Buy milk");
  server.resourceTemplate("note://{day}", { complete: { day: () => ["today"] } }, ({ day }) => {
    throw new ResourceNotFoundError(`note://${day}`);
  });
  server.prompt("greet", { input: z.object({ who: z.string() }) }, ({ who }) => `Hello ${who}`);
  onTestFinished(() => server.close());
  return server;
}

/** A transport that reaches a server of Tenon in this process. */
function transportTo(server: McpServer, options: StreamableHTTPClientTransportOptions = {}): StreamableHTTPClientTransport {
  const handle = createFetchHandler(server, { allowedHosts: "any", allowedOrigins: "any" });
  return new StreamableHTTPClientTransport(ENDPOINT, {
    ...options,
    fetch: async (url, init) => handle(new Request(url, init)),
  });
}

async function connected(
  transport: StreamableHTTPClientTransport | InMemoryTransport,
  { newestFirst = true, capabilities = {} } = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { capabilities, newestFirst });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

test("a 1.x client speaks 2026-07-28 with a server that does, and its program gets what it knows", async () => {
  const transport = transportTo(newServer());
  const client = await connected(transport);
  expect(client.tenon?.protocolVersion).toBe("2026-07-28");
  expect(transport.protocolVersion).toBe("2026-07-28");
  expect(client.transport).toBe(transport);
  expect(client.getServerVersion()).toMatchObject({ name: "new", version: "2.0.0" });
  expect(client.getInstructions()).toBe("Add.");
  expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["add", "fail", "work", "ask", "wait"]);
  expect(await client.callTool({ name: "add", arguments: { a: 1 } })).toEqual({
    content: [{ type: "text", text: '{"sum":2}' }],
    structuredContent: { sum: 2 },
  });
  expect(await client.callTool({ name: "fail" })).toMatchObject({ isError: true, content: [{ text: "Not today" }] });
  expect((await client.readResource({ uri: "note://today" })).contents).toMatchObject([{ text: "Buy milk" }]);
  expect((await client.listResources()).resources).toMatchObject([{ uri: "note://today" }]);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ uriTemplate: "note://{day}" }]);
  expect((await client.getPrompt({ name: "greet", arguments: { who: "Ada" } })).messages).toHaveLength(1);
  const ref = { type: "ref/resource", uri: "note://{day}" } as const;
  expect((await client.complete({ ref, argument: { name: "day", value: "" } })).completion.values).toEqual(["today"]);
  expect(await client.ping()).toEqual({});
});

test("errors are those of the 1.x classes, with the codes of the server", async () => {
  const client = await connected(transportTo(newServer()));
  const unknown = client.callTool({ name: "nothing" });
  await expect(unknown).rejects.toBeInstanceOf(McpError);
  await expect(unknown).rejects.toMatchObject({ code: -32602 });
  await expect(client.request({ method: "no/such" }, CallToolResultSchema)).rejects.toMatchObject({ code: -32601 });
  await expect(client.readResource({ uri: "note://never" })).rejects.toBeInstanceOf(McpError);
});

test("progress, log messages, time limits and cancellation work as in 1.x", async () => {
  const client = await connected(transportTo(newServer()));
  const logged: unknown[] = [];
  const progress: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
  const done = await client.callTool({ name: "work" }, undefined, { onprogress: (each) => void progress.push(each) });
  expect(text(done)).toBe("done");
  expect(progress).toEqual([{ progress: 1, total: 2, message: "half" }]);
  expect(logged).toEqual(["working"]);
  await client.setLoggingLevel("error");
  await client.callTool({ name: "work" });
  expect(logged).toEqual(["working"]);
  await expect(client.callTool({ name: "wait" }, undefined, { timeout: 20 })).rejects.toMatchObject({ code: -32001 });
  const abort = new AbortController();
  const waiting = client.callTool({ name: "wait" }, undefined, { signal: abort.signal });
  abort.abort("enough");
  await expect(waiting).rejects.toThrow("enough");
});

test("questions in results are answered by the handlers of the client", async () => {
  const client = new Client(
    { name: "test", version: "1" },
    { newestFirst: true, capabilities: { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: params.message === "Which city?" ? "accept" : "decline",
    content: { city: "Rome" },
  }));
  const content = { type: "text" as const, text: "x" };
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: "m", role: "assistant" as const, content }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home" }] }));
  await client.connect(transportTo(newServer()));
  onTestFinished(() => client.close());
  expect(text(await client.callTool({ name: "ask" }))).toBe("accept m file:///home");
});

test("a client that declares a question and has no handler refuses it with the code of 1.x", async () => {
  const client = await connected(transportTo(newServer()), { capabilities: { elicitation: {}, sampling: {}, roots: {} } });
  await expect(client.callTool({ name: "ask" })).rejects.toMatchObject({ code: -32601 });
});

test("changes of lists and of resources arrive as the notifications of 1.x", async () => {
  const server = newServer();
  const lists: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    {
      newestFirst: true,
      listChanged: { tools: { onChanged: (_error, tools) => void lists.push(`${tools?.length}`), debounceMs: 0 } },
    },
  );
  await client.connect(transportTo(server));
  onTestFinished(() => client.close());
  const updated: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
  await client.subscribeResource({ uri: "note://today" });
  server.tool("more", {}, () => "");
  server.resourceUpdated("note://today");
  await expect.poll(() => [lists, updated]).toEqual([["6"], ["note://today"]]);
  await client.unsubscribeResource({ uri: "note://today" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void lists.push("second handler"));
  server.resourceUpdated("note://today");
  server.tool("last", {}, () => "");
  await expect.poll(() => lists).toEqual(["6", "second handler"]);
  expect(updated).toEqual(["note://today"]);
});

test("the connection ends once, and the client can be connected again", async () => {
  const client = new Client({ name: "test", version: "1" }, { newestFirst: true });
  let closed = 0;
  client.onclose = () => void closed++;
  const transport = transportTo(newServer());
  await client.connect(transport);
  await expect(client.connect(transportTo(newServer()))).rejects.toThrow("Already connected to a transport");
  await client.close();
  expect(client.transport).toBeUndefined();
  expect(client.tenon).toBeUndefined();
  await expect.poll(() => closed).toBe(1);
  await expect(client.listTools()).rejects.toThrow("Not connected");
  await client.connect(transportTo(newServer()));
  expect((await client.listTools()).tools).toHaveLength(5);
  await client.close();
});

/** A server of the official SDK with sessions; its requests by method. */
function officialServer(): { transport: StreamableHTTPClientTransport; methods: string[] } {
  const methods: string[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const handle = async (request: Request): Promise<Response> => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (request.method === "POST") methods.push(((await request.clone().json()) as { method: string }).method);
    if (known !== undefined) return known.handleRequest(request);
    const server = new OfficialServer({ name: "old", version: "1" });
    server.registerTool("hello", {}, () => ({ content: [{ type: "text", text: "Hello" }] }));
    const made = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, made),
    });
    await server.connect(made);
    return made.handleRequest(request);
  };
  const transport = new StreamableHTTPClientTransport(ENDPOINT, { fetch: async (url, init) => handle(new Request(url, init)) });
  return { transport, methods };
}

test.each([
  [true, ["server/discover", "initialize", "notifications/initialized", "tools/call"]],
  [false, ["initialize", "notifications/initialized", "tools/call"]],
])("with a server of 1.x everything is the original's, with newestFirst %s", async (newestFirst, expected) => {
  const { transport, methods } = officialServer();
  const client = await connected(transport, { newestFirst });
  expect(client.tenon).toBeUndefined();
  expect(transport.sessionId).toBeDefined();
  expect(transport.protocolVersion).toBe("2025-11-25");
  expect(text(await client.callTool({ name: "hello" }))).toBe("Hello");
  expect(methods).toEqual(expected);
});

/** Answers requests of the newest revision, and the handshake as given. */
function withHandshake(answer: () => JsonObject): StreamableHTTPClientTransport {
  const server = newServer();
  server.use("initialize" as never, (() => answer) as never);
  return transportTo(server);
}

/** Only requests of the newest revision are answered. */
const withoutHandshake = (): StreamableHTTPClientTransport =>
  withHandshake(() => {
    throw new TenonError(-32601, "Method not found");
  });

test("a server that refuses the handshake is spoken to on the newest revision, unless it refuses that, too", async () => {
  const client = new Client({ name: "test", version: "1" });
  let closed = 0;
  client.onclose = () => void closed++;
  await client.connect(withoutHandshake());
  expect(client.tenon?.protocolVersion).toBe("2026-07-28");
  expect((await client.listTools()).tools).toHaveLength(5);
  expect(closed).toBe(0);
  await client.close();
  await expect.poll(() => closed).toBe(1);
  const nothing = new StreamableHTTPClientTransport(ENDPOINT, { fetch: async () => new Response("gone", { status: 410 }) });
  await expect(client.connect(nothing)).rejects.toMatchObject({ code: 410 });
  expect(client.transport).toBeUndefined();
});

test.each([
  ["1999-01-01", undefined],
  ["2026-07-28", "2026-07-28"],
])("a handshake that is agreed on %s goes on only if that revision has none", async (protocolVersion, spoken) => {
  const client = new Client({ name: "test", version: "1" });
  const transport = withHandshake(() => ({ protocolVersion, capabilities: {}, serverInfo: { name: "odd", version: "1" } }));
  const failure = await client.connect(transport).catch((error: unknown) => String(error));
  expect(client.tenon?.protocolVersion).toBe(spoken);
  expect(failure).toBe(
    spoken === undefined ? `Error: Server's protocol version is not supported: ${protocolVersion}` : undefined,
  );
});

test("a client that does not ask for the newest revision keeps its sessions with servers that have both", async () => {
  const transport = transportTo(newServer());
  const client = await connected(transport, { newestFirst: false });
  expect(client.tenon).toBeUndefined();
  expect(transport.sessionId).toBeDefined();
  expect((await client.listTools()).tools).toHaveLength(5);
});

test("in memory both ends are of this process, and the handshake comes first", async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await weatherServer().connect(far);
  const client = await connected(near);
  expect(client.tenon).toBeUndefined();
  expect((await client.listTools()).tools).toHaveLength(7);
});

test("a server that cannot be reached is the error of the original", async () => {
  const transport = new StreamableHTTPClientTransport(ENDPOINT, { fetch: () => Promise.reject(new TypeError("no route")) });
  await expect(new Client({ name: "test", version: "1" }).connect(transport)).rejects.toThrow("no route");
});

test("an authorization is asked of the owner's provider, and is used on the newest revision", async () => {
  const server = newServer();
  const handle = createFetchHandler(server, { allowedHosts: "any", allowedOrigins: "any" });
  const issuer = "http://localhost/";
  const seen: (string | null)[] = [];
  const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname === "/token") return Response.json({ access_token: "secret", token_type: "Bearer" });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}authorize`,
        token_endpoint: `${issuer}token`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    if (pathname.startsWith("/.well-known")) return new Response(null, { status: 404 });
    const request = new Request(url, init);
    seen.push(request.headers.get("authorization"));
    return request.headers.get("authorization") === "Bearer secret"
      ? handle(request)
      : new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
  };
  const kept: { tokens?: Awaited<ReturnType<OAuthClientProvider["tokens"]>>; page?: URL; verifier?: string } = {};
  const authProvider: OAuthClientProvider = {
    redirectUrl: "http://localhost/callback",
    clientMetadata: { redirect_uris: ["http://localhost/callback"] },
    clientInformation: () => ({ client_id: "test" }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (page) => void (kept.page = page),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
  };
  const first = new StreamableHTTPClientTransport(ENDPOINT, { fetch, authProvider });
  await expect(new Client({ name: "test", version: "1" }, { newestFirst: true }).connect(first)).rejects.toBeInstanceOf(
    UnauthorizedError,
  );
  expect(kept.page?.pathname).toBe("/authorize");
  await first.finishAuth("code");
  const client = await connected(new StreamableHTTPClientTransport(ENDPOINT, { fetch, authProvider }));
  expect(client.tenon?.protocolVersion).toBe("2026-07-28");
  expect((await client.listTools()).tools).toHaveLength(5);
  expect(seen).toEqual([null, "Bearer secret", "Bearer secret"]);
  kept.tokens = { access_token: "expired", token_type: "Bearer" };
  await expect(client.callTool({ name: "fail" })).rejects.toBeInstanceOf(UnauthorizedError);
});

test("headers and options of each request reach the newest revision", async () => {
  const server = new McpServer({ name: "headers", version: "1" });
  server.tool("tenant", {}, (_input, ctx) => ctx.header("x-tenant") ?? "none");
  const client = await connected(transportTo(server, { requestInit: { headers: { "x-tenant": "blue" }, credentials: "omit" } }));
  expect(text(await client.callTool({ name: "tenant" }))).toBe("blue");
});
