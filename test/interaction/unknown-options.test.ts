/** Options that do not exist are refused when they are given, wherever users pass options, and the error says what was meant. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { connect, McpServer, tool, type McpServerOptions } from "tenon";
import { bearer, clientCredentials, deviceCode, enterpriseManaged, oauth, workloadIdentity } from "tenon/auth";
import { defineExtension } from "tenon/ext";
import { tasks } from "tenon/ext/tasks";
import { serveHttp, serveStdio, toNodeHandler } from "tenon/node";
import { otel } from "tenon/otel";
import { createFetchHandler } from "tenon/server";

const info = { name: "s", version: "1" };
const createServer = (options?: McpServerOptions): McpServer => new McpServer(info, options);
/** Options as a program without types writes them. */
const untyped = (options: unknown): never => options as never;
const handler = (): string => "";

describe("An option that does not exist", () => {
  const asArgument = "The handler is the argument after the options.";
  const registered: [string, () => unknown, string][] = [
    ["inputSchema", () => createServer().tool("a", untyped({ inputSchema: z.object({}) }), handler), 'of tool "a". Did you mean "input"?'],
    ["outputSchema", () => createServer().tool("a", untyped({ outputSchema: {} }), handler), 'of tool "a". Did you mean "output"?'],
    ["parameters", () => createServer().tool("a", untyped({ parameters: {} }), handler), 'of tool "a". Did you mean "input"?'],
    ["meta", () => createServer().tool("a", untyped({ meta: {} }), handler), 'of tool "a". Did you mean "_meta"?'],
    ["meta", () => createServer().resource("a://b", untyped({ meta: {} }), handler), 'of resource "a://b". Did you mean "_meta"?'],
    ["execute", () => createServer().tool("a", untyped({ execute: handler }), handler), `of tool "a". ${asArgument}`],
    ["handler", () => createServer().prompt("a", untyped({ handler }), handler), `of prompt "a". ${asArgument}`],
    ["argsSchema", () => createServer().prompt("a", untyped({ argsSchema: {} }), handler), 'of prompt "a". Did you mean "input"?'],
    ["descripton", () => createServer().tool("a", untyped({ descripton: "" }), handler), 'of tool "a". Did you mean "description"?'],
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
    ["key", () => createServer(untyped({ requestState: { key: [] } })), 'of "requestState" of new McpServer(). Did you mean "keys"?'],
    ["issuers", () => bearer(untyped({ issuers: [] })), 'of bearer(). Did you mean "issuer"?'],
    ["clientID", () => bearer(untyped({ introspection: { clientID: "" } })), 'of "introspection" of bearer(). Did you mean "clientId"?'],
    ["scopes", () => oauth(untyped({ scopes: [] })), 'of oauth(). Did you mean "scope"?'],
    ["redirectUrl", () => oauth(untyped({ redirectUrl: "" })), "of oauth(). "],
    ["isuer", () => clientCredentials(untyped({ isuer: "" })), 'of clientCredentials(). Did you mean "issuer"?'],
    ["onPrompt", () => deviceCode(untyped({ onPrompt: handler })), 'of deviceCode(). Did you mean "prompt"?'],
    ["isuer", () => enterpriseManaged(untyped({ isuer: "" })), 'of enterpriseManaged(). Did you mean "issuer"?'],
    ["isuer", () => workloadIdentity(untyped({ isuer: "" })), 'of workloadIdentity(). Did you mean "issuer"?'],
    ["provider", () => otel(untyped({ provider: 1 })), "of otel(). There are: tracerProvider, propagator, metrics."],
    ["maxTTL", () => tasks(untyped({ maxTTL: 1 })), 'of tasks(). Did you mean "maxTtl"?'],
    ["ids", () => defineExtension(untyped({ ids: "a.b/c" })), 'of defineExtension(). Did you mean "id"?'],
  ];
  it.each(registered)('called "%s" is refused by name', (option, give, message) => {
    const says = expect.objectContaining({ message: expect.stringContaining(`Unknown option "${option}" ${message}`) as string }) as Error;
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
    ["minBodyRate", () => serveHttp(createServer(), untyped({ minBodyRate: 1 })), 'serveHttp(). Did you mean "limits.minBodyRate"?'],
    ["maxLineBytes", () => serveStdio(createServer(), untyped({ maxLineBytes: 1 })), 'serveStdio(). Did you mean "limits.maxLineBytes"?'],
    ["headers", () => connect(createServer(), untyped({ headers: {} })), "connect(). It belongs to the target: connect({ url, … })."],
    ["onElict", () => connect(createServer(), untyped({ onElict: handler })), 'connect(). Did you mean "onElicit"?'],
    ["maxRound", () => connect(createServer(), untyped({ limits: { maxRound: 1 } })), '"limits" of connect(). Did you mean "maxRounds"?'],
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

  it.each(["constructor", "toString", "__proto__x"])("is no option for having a name that every object has: %s", (name) => {
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
    ["a resource without a handler", () => createServer().resource("a://b", {}, untyped(undefined)), 'The resource "a://b" has no handler'],
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
    ["a tool whose options are null", () => createServer().tool("a", untyped(null), handler), 'The options of tool "a" must be an object'],
  ])("%s: is a TypeError when it is given", (_what, give, message) => {
    expect(give).toThrow(message);
    expect(give).toThrow(TypeError);
  });
});
