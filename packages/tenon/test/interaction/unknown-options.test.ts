/** Options that do not exist are refused when they are given, wherever users pass options, and the error says what was meant. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  ClientSession,
  connect,
  createMemoryPair,
  inputRequired,
  McpServer,
  tool,
  type Client,
  type McpServerOptions,
} from "tenon";
import { bearer, clientCredentials, deviceCode, discover, enterpriseManaged, oauth, workloadIdentity } from "tenon/auth";
import { defineExtension } from "tenon/ext";
import { MemoryTaskStore, tasks } from "tenon/ext/tasks";
import { ClientSessionGroup } from "tenon/group";
import { cache, log, rateLimit, retry, timeout } from "tenon/middleware";
import { fileStore, loadConfig, serveHttp, serveStdio, spawnServer, toNodeHandler } from "tenon/node";
import { otel } from "tenon/otel";
import { createFetchHandler, MemoryStateStore } from "tenon/server";
import { testClient } from "tenon/testing";
import { describeMatrix } from "../support/matrix.ts";

const info = { name: "s", version: "1" };
const createServer = (options?: McpServerOptions): McpServer => new McpServer(info, options);
/** Options as a program without types writes them. */
const untyped = (options: unknown): never => options as never;
const handler = (): string => "";

describe("An option that does not exist", () => {
  const asArgument = "The handler is the argument after the options.";
  const registered: [string, () => unknown, string][] = [
    [
      "inputSchema",
      () => createServer().tool("a", untyped({ inputSchema: z.object({}) }), handler),
      'of tool "a". Did you mean "input"?',
    ],
    [
      "outputSchema",
      () => createServer().tool("a", untyped({ outputSchema: {} }), handler),
      'of tool "a". Did you mean "output"?',
    ],
    ["parameters", () => createServer().tool("a", untyped({ parameters: {} }), handler), 'of tool "a". Did you mean "input"?'],
    ["meta", () => createServer().tool("a", untyped({ meta: {} }), handler), 'of tool "a". Did you mean "_meta"?'],
    [
      "meta",
      () => createServer().resource("a://b", untyped({ meta: {} }), handler),
      'of resource "a://b". Did you mean "_meta"?',
    ],
    ["execute", () => createServer().tool("a", untyped({ execute: handler }), handler), `of tool "a". ${asArgument}`],
    ["handler", () => createServer().prompt("a", untyped({ handler }), handler), `of prompt "a". ${asArgument}`],
    [
      "argsSchema",
      () => createServer().prompt("a", untyped({ argsSchema: {} }), handler),
      'of prompt "a". Did you mean "input"?',
    ],
    [
      "descripton",
      () => createServer().tool("a", untyped({ descripton: "" }), handler),
      'of tool "a". Did you mean "description"?',
    ],
    [
      "mimetype",
      () => createServer().resourceTemplate("a://{b}", untyped({ mimetype: "" }), handler),
      'of resource template "a://{b}". Did you mean "mimeType"?',
    ],
    ["size", () => createServer().resourceTemplate("a://{b}", untyped({ size: 1 }), handler), 'of resource template "a://{b}". '],
    [
      "inputSchema",
      () => createServer({ tools: { a: tool(untyped({ inputSchema: {} }), handler) } }),
      'of tool "a". Did you mean "input"?',
    ],
    [
      "descripton",
      () =>
        createServer()
          .tool("a", {}, handler)
          .update(untyped({ descripton: "" })),
      'of tool "a". Did you mean "description"?',
    ],
    ["instruction", () => createServer(untyped({ instruction: "" })), 'of new McpServer(). Did you mean "instructions"?'],
    ["keys", () => createServer(untyped({ keys: [] })), 'of new McpServer(). Did you mean "requestState.keys"?'],
    [
      "key",
      () => createServer(untyped({ requestState: { key: [] } })),
      'of "requestState" of new McpServer(). Did you mean "keys"?',
    ],
    ["issuers", () => bearer(untyped({ issuers: [] })), 'of bearer(). Did you mean "issuer"?'],
    [
      "clientID",
      () => bearer(untyped({ introspection: { clientID: "" } })),
      'of "introspection" of bearer(). Did you mean "clientId"?',
    ],
    ["scopes", () => oauth(untyped({ scopes: [] })), 'of oauth(). Did you mean "scope"?'],
    ["redirectUrl", () => oauth(untyped({ redirectUrl: "" })), "of oauth(). "],
    ["isuer", () => clientCredentials(untyped({ isuer: "" })), 'of clientCredentials(). Did you mean "issuer"?'],
    ["onPrompt", () => deviceCode(untyped({ onPrompt: handler })), 'of deviceCode(). Did you mean "prompt"?'],
    ["isuer", () => enterpriseManaged(untyped({ isuer: "" })), 'of enterpriseManaged(). Did you mean "issuer"?'],
    ["isuer", () => workloadIdentity(untyped({ isuer: "" })), 'of workloadIdentity(). Did you mean "issuer"?'],
    ["provider", () => otel(untyped({ provider: 1 })), "of otel(). There are: tracerProvider, propagator, metrics."],
    ["maxTTL", () => tasks(untyped({ maxTTL: 1 })), 'of tasks(). Did you mean "maxTtl"?'],
    [
      "onElict",
      () => new ClientSession(createMemoryPair()[0], untyped({ onElict: handler })),
      'of new ClientSession(). Did you mean "onElicit"?',
    ],
    [
      "revision",
      () => new ClientSession(createMemoryPair()[0], untyped({ revision: "2025-06-18" })),
      "of new ClientSession(). There are: timeout, ",
    ],
    [
      "readyTimout",
      () => new ClientSessionGroup(untyped({ readyTimout: 1 })),
      'of new ClientSessionGroup(). Did you mean "readyTimeout"?',
    ],
    [
      "onError",
      () => new ClientSessionGroup(untyped({ onError: handler })),
      'of new ClientSessionGroup(). Did you mean "onServerError"?',
    ],
    [
      "maxServer",
      () => new ClientSessionGroup(untyped({ limits: { maxServer: 1 } })),
      'of "limits" of new ClientSessionGroup(). Did you mean "maxServers"?',
    ],
    [
      "auth",
      () => new ClientSessionGroup(untyped({ auth: {} })),
      "of new ClientSessionGroup(). It belongs to a server of the group",
    ],
    [
      "maxEntry",
      () => cache(untyped({ ttl: 1, when: () => true, maxEntry: 1 })),
      "of cache(). There are: ttl, when, maxEntries, clock.",
    ],
    ["writer", () => log(untyped({ writer: handler })), 'of log(). Did you mean "write"?'],
    ["limits", () => rateLimit(untyped({ limits: 1 })), 'of rateLimit(). Did you mean "limit"?'],
    ["attempt", () => retry(untyped({ attempt: 1 })), 'of retry(). Did you mean "attempts"?'],
    ["clocks", () => timeout(1, untyped({ clocks: 1 })), 'of timeout(). Did you mean "clock"?'],
    ["maxSizes", () => new MemoryStateStore(untyped({ maxSizes: 1 })), 'of new MemoryStateStore(). Did you mean "maxSize"?'],
    ["maxSizes", () => new MemoryTaskStore(untyped({ maxSizes: 1 })), 'of new MemoryTaskStore(). Did you mean "maxSize"?'],
    ["folder", () => fileStore(untyped({ folder: "/tmp" })), "of fileStore(). There are: directory, key."],
    ["inputRequest", () => inputRequired(untyped({ inputRequest: {} })), 'of inputRequired(). Did you mean "inputRequests"?'],
    ["ids", () => defineExtension(untyped({ ids: "a.b/c" })), 'of defineExtension(). Did you mean "id"?'],
  ];
  it.each(registered)('called "%s" is refused by name', (option, give, message) => {
    const says = expect.objectContaining({
      message: expect.stringContaining(`Unknown option "${option}" ${message}`) as string,
    }) as Error;
    expect(give).toThrow(says);
    expect(give).toThrow(TypeError);
  });

  const served: [string, () => unknown, string][] = [
    [
      "maxBodyBytes",
      () => createFetchHandler(createServer(), untyped({ maxBodyBytes: 1 })),
      'createFetchHandler(). Did you mean "limits.maxBodyBytes"?',
    ],
    [
      "keepalive",
      () => toNodeHandler(createServer(), untyped({ streams: { keepalive: 1 } })),
      '"streams" of toNodeHandler(). Did you mean "keepAlive"?',
    ],
    ["hosst", () => serveHttp(createServer(), untyped({ hosst: "" })), 'serveHttp(). Did you mean "host"?'],
    [
      "minBodyRate",
      () => serveHttp(createServer(), untyped({ minBodyRate: 1 })),
      'serveHttp(). Did you mean "limits.minBodyRate"?',
    ],
    [
      "maxLineBytes",
      () => serveStdio(createServer(), untyped({ maxLineBytes: 1 })),
      'serveStdio(). Did you mean "limits.maxLineBytes"?',
    ],
    [
      "headers",
      () => connect(createServer(), untyped({ headers: {} })),
      "connect(). It belongs to the target: connect({ url, … }).",
    ],
    ["arg", () => connect(untyped({ command: "node", arg: [] })), 'the target { command }. Did you mean "args"?'],
    [
      "maxx",
      () => connect(untyped({ command: "node", restart: { maxx: 1 } })),
      '"restart" of the target { command }. Did you mean "max"?',
    ],
    [
      "timeout",
      () => connect(untyped({ command: "node", timeout: 1 })),
      "the target { command }. It is an option of connect(): connect(target, { timeout }).",
    ],
    [
      "header",
      () => connect(untyped({ url: "http://localhost:1/mcp", header: {} })),
      'the target { url }. Did you mean "headers"?',
    ],
    [
      "onElicit",
      () => connect(untyped({ url: "http://localhost:1/mcp", onElicit: handler })),
      "the target { url }. It is an option of connect(): connect(target, { onElicit }).",
    ],
    [
      "arg",
      () => ClientSessionGroup.connect({ files: untyped({ command: "node", arg: [] }) }),
      'server "files". Did you mean "args"?',
    ],
    [
      "header",
      () => ClientSessionGroup.connect({ files: untyped({ url: "http://localhost:1/mcp", header: {} }) }),
      'server "files". Did you mean "headers"?',
    ],
    [
      "targets",
      () => ClientSessionGroup.connect({ files: untyped({ target: createServer(), targets: 1 }) }),
      'server "files". Did you mean "target"?',
    ],
    ["arg", () => spawnServer(untyped({ command: "node", arg: [] })), 'spawnServer(). Did you mean "args"?'],
    ["onElicit", () => testClient(createServer(), untyped({ onElicit: handler })), 'testClient(). Did you mean "elicit"?'],
    ["revison", () => testClient(createServer(), untyped({ revison: "2025-06-18" })), 'testClient(). Did you mean "revision"?'],
    [
      "environment",
      () => loadConfig({}, untyped({ environment: {} })),
      "loadConfig(). There are: env, variables, folder, onFile, onWarning, consent.",
    ],
    ["fetcher", () => discover("http://localhost:1", untyped({ fetcher: 1 })), 'discover(). Did you mean "fetch"?'],
    ["onElict", () => connect(createServer(), untyped({ onElict: handler })), 'connect(). Did you mean "onElicit"?'],
    [
      "maxRound",
      () => connect(createServer(), untyped({ limits: { maxRound: 1 } })),
      '"limits" of connect(). Did you mean "maxRounds"?',
    ],
  ];
  it.each(served)('called "%s" is refused before anything is served or connected', async (option, give, message) => {
    const refusal = async (): Promise<unknown> => give();
    await expect(refusal()).rejects.toThrow(new TypeError(`Unknown option "${option}" of ${message}`));
  });

  it("leaves nothing registered, and an update that has one changes nothing", () => {
    const server = createServer();
    expect(() => server.tool("a", untyped({ inputSchema: {} }), handler)).toThrow(TypeError);
    const handle = server.tool("a", { description: "before" }, handler);
    expect(() => handle.update(untyped({ description: "after", outputSchema: {} }))).toThrow(TypeError);
    expect(server.capabilities.tools).toEqual({ listChanged: true });
  });

  it.each(["constructor", "toString", "__proto__x"])("a name that every object has is no option: %s", (name) => {
    expect(() => createServer().tool("a", untyped({ [name]: 1 }), handler)).toThrow(`Unknown option "${name}"`);
  });
});

describe("Options that are not an object, and a handler that is not a function", () => {
  it.each([
    [
      "a tool without options",
      () => createServer().tool("a", untyped(handler), untyped(undefined)),
      'The tool "a" has no handler. The handler is the argument after the options.',
    ],
    [
      "a resource without a handler",
      () => createServer().resource("a://b", {}, untyped(undefined)),
      'The resource "a://b" has no handler',
    ],
    [
      "a template without a handler",
      () => createServer().resourceTemplate("a://{b}", {}, untyped("text")),
      'The resource template "a://{b}" has no handler',
    ],
    ["a prompt without a handler", () => createServer().prompt("a", {}, untyped({})), 'The prompt "a" has no handler'],
    [
      "a tool whose options are its description",
      () => createServer().tool("a", untyped("Adds"), handler),
      'The options of tool "a" must be an object',
    ],
    [
      "a tool whose options are missing",
      () => createServer().tool("a", untyped(undefined), handler),
      'The options of tool "a" must be an object',
    ],
    [
      "a tool whose options are null",
      () => createServer().tool("a", untyped(null), handler),
      'The options of tool "a" must be an object',
    ],
  ])("%s: is a TypeError when it is given", (_what, give, message) => {
    expect(give).toThrow(message);
    expect(give).toThrow(TypeError);
  });
});

describeMatrix("An option of a call that does not exist", ({ connect: open, since }) => {
  const calls: [string, string, (client: Client) => Promise<unknown>][] = [
    ["timout", '"tools/call". Did you mean "timeout"?', (client) => client.callTool("a", {}, untyped({ timout: 1 }))],
    ["_meta", '"tools/call". Did you mean "meta"?', (client) => client.callTool("a", {}, untyped({ _meta: {} }))],
    ["task", '"prompts/get". ', (client) => client.getPrompt("a", {}, untyped({ task: true }))],
    [
      "onprogress",
      '"resources/read". Did you mean "onProgress"?',
      (client) => client.readResource("a://b", untyped({ onprogress: handler })),
    ],
    ["results", '"own/method". ', (client) => client.request("own/method", {}, untyped({ results: {} }))],
    ["timout", '"tools/list". Did you mean "timeout"?', (client) => client.tools(untyped({ timout: 1 })).next()],
    ["tool", 'listen(). Did you mean "tools"?', async (client) => client.listen(untyped({ tool: true }))],
    [
      "uri",
      '"resources" of listen(). Did you mean "uris"?',
      async (client) => client.listen(untyped({ resources: { uri: ["a://b"] } })),
    ],
    ["signals", 'listen(). Did you mean "signal"?', async (client) => client.listen({ tools: true }, untyped({ signals: 1 }))],
  ];

  it("rejects with a TypeError before anything is sent", async () => {
    const server = createServer();
    server.tool("a", {}, handler);
    const client = await open(server);
    const methods: string[] = [];
    client.use((next) => (request) => {
      methods.push(request.method);
      return next(request);
    });
    for (const [option, message, call] of calls) {
      const failure: unknown = await call(client).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TypeError);
      expect((failure as Error).message).toContain(`Unknown option "${option}" of ${message}`);
    }
    expect(methods).toEqual([]);
    expect(
      (await client.callTool("a", {}, { timeout: 5_000, meta: {}, requestId: "own", task: false, validateOutput: false })).text,
    ).toBe("");
  });

  it("an unknown option of a question fails the handler, and the operator reads what was meant", async () => {
    if (!since("2025-06-18")) return;
    const reported: unknown[] = [];
    const server = createServer({ onError: (error) => reported.push(error) });
    server.tool("a", {}, async (_input, ctx) => {
      await ctx.elicit("seats", untyped({ message: "?", requestedSchema: {} }));
      return "asked";
    });
    const client = await open(server, { onElicit: () => ({ action: "accept", content: {} }) });
    expect((await client.callTool("a")).isError).toBe(true);
    expect(reported).toEqual([new TypeError('Unknown option "requestedSchema" of question "seats". Did you mean "schema"?')]);
  });

  it("a question without a message fails the handler and not the client, and the operator reads what is missing", async () => {
    if (!since("2025-06-18")) return;
    const reported: unknown[] = [];
    const server = createServer({ onError: (error) => reported.push(error) });
    server.tool("form", {}, async (_input, ctx) => void (await ctx.elicit("seats", untyped({ schema: z.object({}) }))));
    server.tool("confirm", {}, async (_input, ctx) => void (await ctx.confirm("sure", untyped(undefined))));
    const client = await open(server, { onElicit: () => ({ action: "accept", content: {} }) });
    for (const tool of ["form", "confirm"]) expect((await client.callTool(tool)).isError).toBe(true);
    expect(reported.map(String)).toEqual(
      ["seats", "sure"].map((name) => `TypeError: Question "${name}" needs a message, the text that the user sees`),
    );
  });
});
