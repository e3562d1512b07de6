/** Bad use of the API of 1.x: the layer throws and answers what the original does, or a better error that stands here. */
import { PassThrough } from "node:stream";
import { Client as OfficialClient } from "mcp-sdk-v1/client/index.js";
import { InMemoryTransport } from "mcp-sdk-v1/inMemory.js";
import { Server as OfficialServer } from "mcp-sdk-v1/server/index.js";
import { McpServer as OfficialMcpServer, ResourceTemplate } from "mcp-sdk-v1/server/mcp.js";
import { StdioServerTransport as OfficialStdio } from "mcp-sdk-v1/server/stdio.js";
import { WebStandardStreamableHTTPServerTransport as OfficialHttp } from "mcp-sdk-v1/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from "mcp-sdk-v1/types.js";
import { expect, test } from "vitest";
import * as z from "zod";
import { Client } from "../src/client/index.ts";
import { Server } from "../src/server/index.ts";
import { McpServer } from "../src/server/mcp.ts";
import { StdioServerTransport } from "../src/server/stdio.ts";
import { WebStandardStreamableHTTPServerTransport } from "../src/server/webStandardStreamableHttp.ts";

const original = {
  McpServer: OfficialMcpServer,
  Server: OfficialServer,
  Client: OfficialClient,
  Stdio: OfficialStdio,
  Http: OfficialHttp,
};
type Kit = typeof original;
const layer = {
  McpServer,
  Server,
  Client,
  Stdio: StdioServerTransport,
  Http: WebStandardStreamableHTTPServerTransport,
} as unknown as Kit; // they extend the originals

const INFO = { name: "bad", version: "1" };
const TOOLS = { capabilities: { tools: {}, resources: {}, prompts: {} } };
const wrong = (value: unknown): never => value as never; // what a program in JavaScript may pass

/** A connected pair. */
async function connected(kit: Kit, server: OfficialServer | OfficialMcpServer, options = {}): Promise<OfficialClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new kit.Client(INFO, options);
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

/** What a client gets of a server with one tool. */
const calling =
  (tool: unknown, config: object = {}, args: object = {}) =>
  async (kit: Kit): Promise<unknown> => {
    const server = new kit.McpServer(INFO);
    server.registerTool("tool", config, tool as never); // a handler as a program in JavaScript may have it
    return (await connected(kit, server)).callTool({ name: "tool", arguments: { ...args } });
  };

/** What a client gets of a low-level server whose handler makes this of a call. */
const handling =
  (make: () => unknown) =>
  async (kit: Kit): Promise<unknown> => {
    const server = new kit.Server(INFO, TOOLS);
    for (const schema of [CallToolRequestSchema, ListToolsRequestSchema, ReadResourceRequestSchema, GetPromptRequestSchema])
      server.setRequestHandler(schema, make as never); // the same
    const client = await connected(kit, server);
    const asked = [
      client.callTool({ name: "any" }),
      client.listTools(),
      client.readResource({ uri: "a:b" }),
      client.getPrompt({ name: "any" }),
    ];
    return Promise.all(asked.map(outcomeOf));
  };

/** What the program does on a server and a client that are connected. */
const using =
  (use: (server: OfficialMcpServer, client: OfficialClient, kit: Kit) => unknown, options = {}) =>
  async (kit: Kit): Promise<unknown> => {
    const server = new kit.McpServer(INFO, { capabilities: { tools: {}, ...options } });
    const client = await connected(kit, server);
    return use(server, client, kit);
  };

const shape = { n: z.number() };
const text = (value: string): object => ({ content: [{ type: "text", text: value }] });
const message = (method: string): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} });
const post = (http: OfficialHttp, body: string, headers = {}): Promise<Response> =>
  http.handleRequest(new Request("http://localhost/mcp", { method: "POST", body, headers }));
const USUAL = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const USES: Readonly<Record<string, (kit: Kit) => unknown>> = {
  "a tool twice": (kit) => {
    const server = new kit.McpServer(INFO);
    for (const _ of [1, 2]) server.registerTool("one", {}, () => wrong(text("x")));
  },
  "a resource twice": (kit) => {
    const server = new kit.McpServer(INFO);
    for (const _ of [1, 2]) server.registerResource("one", "a:b", {}, () => ({ contents: [] }));
  },
  "a template twice": (kit) => {
    const server = new kit.McpServer(INFO);
    for (const _ of [1, 2])
      server.registerResource("one", new ResourceTemplate("a:{b}", { list: undefined }), {}, () => ({ contents: [] }));
  },
  "a prompt twice": (kit) => {
    const server = new kit.McpServer(INFO);
    for (const _ of [1, 2]) server.registerPrompt("one", {}, () => ({ messages: [] }));
  },
  "a template that is none": (kit) =>
    new kit.McpServer(INFO).registerResource("one", new ResourceTemplate("a:{b", { list: undefined }), {}, () => ({
      contents: [],
    })),
  "a tool without a handler": calling(undefined),
  "a tool with a schema that is none": (kit) =>
    new kit.McpServer(INFO).registerTool(
      "one",
      wrong({ inputSchema: { n: "number" } }),
      wrong(() => ({})),
    ),
  "a handler before McpServer's own": (kit) => {
    const server = new kit.McpServer(INFO);
    server.server.registerCapabilities({ tools: {} });
    server.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] }));
    server.registerTool("one", {}, () => wrong(text("x")));
  },
  "a handler without its capability": (kit) =>
    new kit.Server(INFO).setRequestHandler(ListToolsRequestSchema, () => ({ tools: [] })),
  "a handler of no method": (kit) =>
    new kit.Server(INFO, TOOLS).setRequestHandler(wrong(z.object({ name: z.string() })), () => ({})),
  "a notification before connect()": (kit) => new kit.Server(INFO, TOOLS).sendToolListChanged(),
  "a request before connect()": (kit) => new kit.Server(INFO).ping(),
  "connect() twice": using(async (server) => server.connect(InMemoryTransport.createLinkedPair()[0])),
  "a client that connects twice": using(async (_, client) => client.connect(InMemoryTransport.createLinkedPair()[0])),
  "capabilities after connect()": using((server) => server.server.registerCapabilities({ logging: {} })),
  "a log message without logging": using((server) => server.server.sendLoggingMessage({ level: "info", data: "x" })),
  "a form for a client without forms": using((server) =>
    server.server.elicitInput(wrong({ message: "?", requestedSchema: { type: "object", properties: {} } })),
  ),
  "a sample of a client without models": using((server) => server.server.createMessage({ messages: [], maxTokens: 1 })),
  "roots of a client without roots": using((server) => server.server.listRoots()),
  "a level that is none": using((_, client) => client.setLoggingLevel(wrong("loud")), { logging: {} }),
  "a request after close()": using(async (_, client) => {
    await client.close();
    return client.ping();
  }),
  "a notification after close()": using(async (server) => {
    await server.close();
    return server.server.sendToolListChanged();
  }),
  "an unknown tool": using((_, client) => client.callTool({ name: "none" })),
  "an unknown prompt": using((_, client) => client.getPrompt({ name: "none" }), { prompts: {} }),
  "an unknown resource": using((_, client) => client.readResource({ uri: "a:b" }), { resources: {} }),
  "a completion of nothing": using(
    (_, client) => client.complete({ ref: { type: "ref/prompt", name: "none" }, argument: { name: "a", value: "" } }),
    { completions: {} },
  ),
  "a method that the server does not have": using((_, client) => client.listPrompts()),
  "a call without a name": using((_, client) => client.callTool(wrong({}))),
  "arguments that are a list": using((_, client) => client.callTool(wrong({ name: "none", arguments: [] }))),
  "wrong arguments": calling(() => text("x"), { inputSchema: shape }, { n: "one" }),
  "arguments where none are missing": calling(() => text("x"), { inputSchema: shape }),
  "a tool that throws a text": calling(() => {
    throw "no"; // oxlint-disable-line no-throw-literal, only-throw-error
  }),
  "a tool that throws nothing": calling(() => {
    throw undefined; // oxlint-disable-line no-throw-literal, only-throw-error
  }),
  "a tool that returns nothing": calling(() => undefined),
  "a tool that returns a text": calling(() => "text"),
  "a tool whose content is a text": calling(() => ({ content: "text" })),
  "a tool with a block of no kind": calling(() => ({ content: [{ type: "smell" }] })),
  "a tool with an output that is missing": calling(() => text("x"), { outputSchema: shape }),
  "a tool with a wrong output": calling(() => ({ content: [], structuredContent: { n: "x" } }), { outputSchema: shape }),
  "a task tool that is none": calling(() => text("x"), { execution: { taskSupport: "required" } }),
  "a disabled tool": using(async (server, client) => {
    server.registerTool("off", {}, () => wrong(text("x"))).disable();
    return client.callTool({ name: "off" });
  }),
  "a tool renamed to one that is there": using((server) => {
    server.registerTool("one", {}, () => wrong(text("x")));
    server.registerTool("two", {}, () => wrong(text("y"))).update({ name: "one" });
  }),
  "a prompt whose arguments are missing": using(
    async (server, client) => {
      server.registerPrompt("ask", { argsSchema: { who: z.string() } }, () => ({ messages: [] }));
      return client.getPrompt({ name: "ask" });
    },
    { prompts: {} },
  ),
  "results without their members": handling(() => ({})),
  "handlers that throw": handling(() => {
    throw new Error("no");
  }),
  "handlers that throw a code of their own": handling(() => {
    throw Object.assign(new Error("no"), { code: 7, data: { a: 1 } });
  }),
  "handlers that throw a code that is none": handling(() => {
    throw Object.assign(new Error("no"), { code: "ENOENT" });
  }),
  "standard streams twice": async (kit) => {
    const stdio = new kit.Stdio(new PassThrough(), new PassThrough());
    await new kit.Server(INFO).connect(stdio);
    await stdio.start();
  },
  "a transport without sessions twice": async (kit) => {
    const http = new kit.Http();
    await new kit.Server(INFO).connect(http);
    await post(http, message("ping"), USUAL);
    return post(http, message("ping"), USUAL);
  },
  "a transport started twice": async (kit) => {
    const http = new kit.Http();
    await new kit.Server(INFO).connect(http);
    return http.start();
  },
  "a response that nobody asked for": async (kit) => {
    const http = new kit.Http({ sessionIdGenerator: () => "one" });
    await new kit.Server(INFO).connect(http);
    return http.send({ jsonrpc: "2.0", id: 9, result: {} });
  },
  ...Object.fromEntries(
    (
      [
        ["JSON that is none", "{", USUAL],
        ["an empty body", "", USUAL],
        ["a body of another type", message("ping"), { ...USUAL, "content-type": "text/plain" }],
        ["a client that takes no stream", message("ping"), { ...USUAL, accept: "application/json" }],
        ["a request before the handshake", message("ping"), USUAL],
        ["a session that is none", message("ping"), { ...USUAL, "mcp-session-id": "none" }],
        ["an empty batch", "[]", USUAL],
        ["a message that is none", '{"jsonrpc":"1.0"}', USUAL],
      ] as const
    ).map(([what, body, headers]) => [
      what,
      async (kit: Kit) => {
        const http = new kit.Http({ sessionIdGenerator: () => "one" });
        await new kit.Server(INFO).connect(http);
        return post(http, body, headers);
      },
    ]),
  ),
};

/** What came of it, as far as a program or a client sees it. */
async function outcomeOf(work: unknown): Promise<unknown> {
  try {
    const value = await work;
    return value instanceof Response ? { status: value.status, text: await value.text() } : { value };
  } catch (error) {
    const { constructor, message: said, code, data } = error as Error & { code?: unknown; data?: unknown };
    return { error: constructor.name, message: said, code, data };
  }
}

const outcome = (use: (kit: Kit) => unknown, kit: Kit): Promise<unknown> => outcomeOf((async () => use(kit))());

/** Errors that are better than the original's, with their codes. */
const INVALID = { error: "McpError", code: -32602, message: "MCP error -32602: Invalid request parameters" };
const BETTER: Readonly<Record<string, object>> = {
  "a level that is none": { ...INVALID, data: expect.stringContaining("params.level") as string },
  "a call without a name": { ...INVALID, data: "params.name is missing" },
  // An empty list is what PHP makes of an empty object. The call is made without arguments.
  "arguments that are a list": { value: { isError: true, content: [{ text: "MCP error -32602: Tool none not found" }] } },
  "a completion of nothing": { code: -32601, message: "MCP error -32601: Method not found", data: "completion/complete" },
  "a method that the server does not have": { code: -32601, message: "MCP error -32601: Method not found", data: "prompts/list" },
};

test.each(Object.entries(USES))("%s", async (what, use) => {
  const [ours, theirs] = [await outcome(use, layer), await outcome(use, original)];
  if (BETTER[what] === undefined) return expect(ours).toEqual(theirs);
  expect(ours).toMatchObject(BETTER[what]);
  expect(ours).not.toEqual(theirs);
});

test("a handler that returns nothing is an error at once: on the original its client waits until its time is up", async () => {
  const asked = (await handling(() => undefined)(layer)) as { code: number }[];
  expect(asked.map(({ code }) => code)).toEqual([-32602, -32603, -32603, -32603]);
});
