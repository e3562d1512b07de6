/** What a definition shares between its connections: capabilities, middleware, its lifespan; and where its log goes. */
import { describe, expect, it } from "vitest";
import { connect, McpError, McpServer, type JsonObject, type McpServerOptions, type ServerCapabilities } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, open } from "../support/matrix.ts";
import { RawClient } from "../support/raw-client.ts";
import { testServer } from "../support/test-server.ts";
import { createServer } from "./logging-server.ts";

describeMatrix("Capabilities", ({ connect: connectTo, since }) => {
  const table: [string, (server: McpServer) => unknown, McpServerOptions, ServerCapabilities][] = [
    ["nothing", () => undefined, { logging: false }, {}],
    ["logging", () => undefined, {}, { logging: {} }],
    ["a tool", (server) => server.tool("a", {}, () => ""), { logging: false }, { tools: { listChanged: true } }],
    [
      "a disabled tool",
      (server) => server.tool("a", {}, () => "").disable(),
      { logging: false },
      { tools: { listChanged: true } },
    ],
    [
      "a resource",
      (server) => server.resource("a://b", {}, () => ""),
      { logging: false },
      { resources: { subscribe: true, listChanged: true } },
    ],
    [
      "a template",
      (server) => server.resourceTemplate("a://{b}", {}, () => ""),
      { logging: false },
      { resources: { subscribe: true, listChanged: true } },
    ],
    ["a prompt", (server) => server.prompt("a", {}, () => ""), { logging: false }, { prompts: { listChanged: true } }],
    [
      "what is declared beside it",
      (server) => server.tool("a", {}, () => ""),
      {
        logging: false,
        capabilities: { tools: { listChanged: false }, prompts: {}, experimental: { x: {} }, extensions: { "a.b/c": {} } },
      },
      { tools: { listChanged: false }, prompts: {}, experimental: { x: {} }, extensions: { "a.b/c": {} } },
    ],
  ];
  it.each(table)("follow from %s [A6.1 A6.2 TY-28]", async (_what, define, options, expected) => {
    const server = testServer(options);
    define(server);
    expect((await connectTo(server)).serverCapabilities).toEqual(expected);
  });

  it("follow from completers, where the revision has the capability [K4.1 A6.2]", async () => {
    const server = testServer({ logging: false });
    server.prompt("a", { complete: { x: () => [] } }, () => "");
    const { serverCapabilities } = await connectTo(server);
    expect(serverCapabilities.completions).toEqual(since("2025-03-26") ? {} : undefined);
  });

  it("decide which methods there are [A6.2]", async () => {
    const client = await connectTo(testServer({ logging: false }));
    const refs = { ref: { type: "ref/prompt" as const, name: "a" }, argument: { name: "a", value: "" } };
    const calls = [
      client.listTools(),
      client.callTool("a"),
      client.listResources(),
      client.listResourceTemplates(),
      client.readResource("a://b"),
    ];
    calls.push(
      client.listPrompts() as never,
      client.getPrompt("a") as never,
      client.complete(refs) as never,
      client.request("logging/setLevel", { level: "info" }) as never,
    );
    for (const call of calls) expect(await failureOf(call)).toMatchObject({ code: -32601 });
  });
});

describeMatrix("Middleware", ({ connect: connectTo }) => {
  it("runs from the first added to the last, around every request or those of one method, on both sides", async () => {
    const order: string[] = [];
    const server = createServer();
    server.tool("a", {}, () => {
      order.push("handler");
      return "";
    });
    const client = await connectTo(server, { validateOutput: false });
    server.use((next) => async (context) => {
      order.push(`one ${context.method}`);
      const result = await next(context);
      order.push("one back");
      return result;
    });
    server.use("tools/call", (next) => (context) => {
      order.push("two");
      return next(context);
    });
    client.use((next) => async (context) => {
      order.push(`out ${context.method}`);
      const result = await next(context);
      order.push("home");
      return result;
    });
    client.use("tools/list", (next) => (context) => {
      order.push("only lists");
      return next(context);
    });
    await client.callTool("a");
    expect(order).toEqual(["out tools/call", "one tools/call", "two", "handler", "one back", "home"]);
    order.length = 0;
    await client.listTools();
    expect(order).toEqual(["out tools/list", "only lists", "one tools/list", "one back", "home"]);
  });

  it("may return a result itself, change params and results, and sees what handlers throw", async () => {
    const seen: unknown[] = [];
    const server = createServer();
    const secret = new Error("secret");
    server.tool("throw", {}, () => {
      throw secret;
    });
    server.tool("echo", {}, (input) => JSON.stringify(input));
    server.use("tools/call", (next) => async (context) => {
      if (context.params["name"] === "cached") return { content: [{ type: "text", text: "from the cache" }] };
      if (context.params["name"] === "forbidden") throw new McpError(-31_403, "Forbidden");
      context.params = { ...context.params, arguments: { added: true } };
      try {
        const result = await next(context);
        return { ...result, _meta: { "x/y": 1 } };
      } catch (error) {
        seen.push(error);
        throw error;
      }
    });
    const client = await connectTo(server, { validateOutput: false });
    expect((await client.callTool("cached")).text).toBe("from the cache");
    expect(await failureOf(client.callTool("forbidden"))).toMatchObject({ code: -31_403, message: "Forbidden" });
    expect(await client.callTool("echo", { mine: 1 })).toMatchObject({ text: '{"added":true}', _meta: { "x/y": 1 } });
    expect((await client.callTool("throw")).isError).toBe(true);
    expect(seen).toEqual([secret]);
  });

  it("changes one result of a list, and not the list", async () => {
    const server = createServer();
    let hide = true;
    server.use("tools/list", (next) => async (context) => (hide ? { ...(await next(context)), tools: [] } : next(context)));
    const client = await connectTo(server);
    expect((await client.listTools()).tools).toEqual([]);
    hide = false;
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it("that returns nothing, or fails, is an internal error without details [R11]", async () => {
    const server = createServer();
    server.use("ping", () => () => undefined as never);
    server.use("tools/list", () => () => {
      throw new Error("secret");
    });
    server.use("resources/list", () => () => ({}) as never);
    const client = await connectTo(server);
    const error = await failureOf(client.listTools());
    expect(error).toMatchObject({ code: -32603, message: "Internal error" });
    if (client.protocolVersion !== "2026-07-28") expect(await failureOf(client.ping())).toMatchObject({ code: -32603 });
  });

  it("of a client may return a result itself, retry, or fail", async () => {
    const server = createServer();
    let calls = 0;
    server.tool("flaky", {}, () => {
      if (++calls < 3) throw new McpError(-31_000, "Try again");
      return `after ${calls}`;
    });
    const client = await connectTo(server, { validateOutput: false });
    client.use("tools/call", (next) => async (context) => {
      for (;;) {
        try {
          return await next(context);
        } catch (error) {
          if (!(error instanceof McpError) || error.code !== -31_000) throw error;
        }
      }
    });
    client.use("prompts/list", () => () => ({ prompts: [] }));
    expect((await client.callTool("flaky")).text).toBe("after 3");
    expect((await client.listPrompts()).prompts).toEqual([]);
  });
});

describe("What a server opens", () => {
  function createOpening(open: () => unknown): McpServer<unknown> {
    const server = new McpServer<unknown>({ name: "s", version: "1" }, { lifespan: open, onError: () => undefined });
    server.tool(
      "see",
      {},
      (_input, { lifespan }) => `${typeof lifespan} ${String((lifespan as { name?: string } | undefined)?.name)}`,
    );
    return server;
  }

  it("is opened once, before anything is served, however many connect at once", async () => {
    let opened = 0;
    const server = createOpening(async () => {
      opened++;
      await Promise.resolve();
      return { name: "db" };
    });
    expect(opened).toBe(0);
    const clients = await Promise.all([connect(server), open("memory", server), connect(server, { revision: "2024-11-05" })]);
    for (const client of clients) expect((await client.callTool("see")).text).toBe("object db");
    expect(opened).toBe(1);
    await server.close();
  });

  it.each([Symbol.asyncDispose, Symbol.dispose])("is disposed of once, when the server closes", async (symbol) => {
    let disposed = 0;
    const server = createOpening(() => ({ name: "db", [symbol]: () => void disposed++ }));
    const client = await connect(server);
    await client.close();
    expect(disposed).toBe(0);
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(disposed).toBe(1);
  });

  it("fails the connection with what it throws, and is tried again by the next one only", async () => {
    let opened = 0;
    const server = createOpening(() => {
      opened++;
      if (opened === 1) throw new Error("no database");
      return { name: "db" };
    });
    const error = await failureOf(connect(server));
    expect(error.code).toBe(-32000);
    expect(error.cause).toMatchObject({ message: "no database" });
    expect(opened).toBe(1);
    const client = await connect(server);
    expect((await client.callTool("see")).text).toBe("object db");
    await server.close();
  });

  it("is not served any more when the server closed while it was opening", async () => {
    let finish: ((value: unknown) => void) | undefined;
    let disposed = 0;
    const server = createOpening(() => new Promise((resolve) => (finish = resolve)));
    const client = new RawClient(server);
    const closing = server.close();
    finish!({ [Symbol.dispose]: () => void disposed++ });
    await expect(client.served).rejects.toThrow("closed");
    await closing;
    expect(disposed).toBe(1);
  });
});

describe("A schema that can never be used", () => {
  const reads = (schema: JsonObject): JsonObject => ({ type: "object", properties: { text: schema } });

  it.each<[string, (server: McpServer) => unknown, RegExp]>([
    [
      "a pattern that looks behind, in the input of a tool",
      (server) => server.tool("find", { input: reads({ type: "string", pattern: "(?<=a)b" }) }, () => ""),
      /^The input of tool "find" cannot be used: .*\/properties\/text\/pattern.*linear time/,
    ],
    [
      "a reference to nothing, in the output of a tool",
      (server) => server.tool("find", { output: reads({ $ref: "#/$defs/Text" }) }, () => ({})),
      /^The output of tool "find" cannot be used: .*"#\/\$defs\/Text" points at nothing/,
    ],
    [
      "a reference to elsewhere, in the input of a prompt",
      (server) => server.prompt("find", { input: reads({ $ref: "https://example.com/text.json" }) }, () => ""),
      /^The input of prompt "find" cannot be used: .*references are never fetched/,
    ],
    [
      "the names of members that go back, in what a tool was changed to",
      (server) => server.tool("find", {}, () => "").update({ input: { type: "object", patternProperties: { "(a)\\1": {} } } }),
      /^The input of tool "find" cannot be used: .*linear time/,
    ],
  ])("fails what would serve it, by its name: %s [A8.2 A8.3 R9]", async (_what, register, message) => {
    const server = createServer();
    register(server);
    for (const attempt of ["first", "second"]) {
      const error = await failureOf(connect(server));
      expect([attempt, error.code]).toEqual([attempt, -32000]);
      expect(error.cause).toBeInstanceOf(TypeError);
      expect((error.cause as Error).message).toMatch(message);
    }
  });

  it("has no effect once it is removed, and valid ones are served [A8.2]", async () => {
    const server = createServer();
    const handle = server.tool("find", { input: reads({ $ref: "#/nothing" }) }, () => "found");
    server.tool("match", { input: reads({ type: "string", pattern: "^a+$" }) }, () => "matched");
    expect((await failureOf(connect(server))).code).toBe(-32000);
    handle.update({ input: reads({ $ref: "#/properties/other" }) });
    expect((await failureOf(connect(server))).code).toBe(-32000);
    handle.remove();
    const client = await connect(server);
    expect((await client.callTool("match", { text: "aa" })).text).toBe("matched");
    expect((await client.callTool("match", { text: "b" }, { validateOutput: false })).isError).toBe(true);
    await server.close();
  });
});

describe("Many connections", () => {
  it("share the definition and nothing else", async () => {
    const server = createServer();
    server.resource("a://b", {}, () => "");
    const [one, two] = [new RawClient(server), new RawClient(server)];
    await one.initialize("2024-11-05");
    await two.initialize("2025-11-25");
    await one.request("logging/setLevel", { level: "emergency" });
    await one.request("resources/subscribe", { uri: "a://b" });
    server.resourceUpdated("a://b");
    expect(await one.send()).toEqual([{ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a://b" } }]);
    expect(await two.send()).toEqual([]);
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "log" } };
    expect(await one.send(call)).toHaveLength(2);
    expect(await two.send(call)).toHaveLength(9);
    one.end();
    await one.served;
    expect(await two.request("ping")).toMatchObject({ result: {} });
    await server.close();
    await two.served;
    await server.close();
  });

  it("a connection is subscribed to a thousand resources at most [K2.1 I1]", async () => {
    const server = testServer({ onError: () => undefined });
    server.resourceTemplate("n://{n}", {}, ({ n }) => n);
    const client = await open("direct", server, { revision: "2025-11-25" });
    for (let n = 0; n < 1_000; n++) await client.subscribeResource(`n://${n}`);
    expect(await failureOf(client.subscribeResource("n://1000"))).toMatchObject({
      data: { limit: "maxSubscriptions", max: 1_000 },
    });
    await client.subscribeResource("n://0");
    await client.unsubscribeResource("n://0");
    await client.subscribeResource("n://1000");
    await client.close();
  });

  const LONG = `n://${"n".repeat(500_000)}`;

  it("and to a Mi characters of URIs, because they are kept as long as it is open", async () => {
    const server = testServer({ onError: () => undefined });
    server.resourceTemplate("n://{n}", {}, ({ n }) => n);
    const client = await open("direct", server, { revision: "2025-11-25" });
    for (const end of ["a", "b", "a"]) await client.subscribeResource(LONG + end);
    expect(await failureOf(client.subscribeResource(`${LONG}c`))).toMatchObject({ data: { max: 1_048_576 } });
    await client.close();
  });

  it.each([
    ["a thousand resources", Array.from({ length: 1_001 }, (_, n) => `n://${n}`), 1_000],
    ["a Mi characters of URIs", [`${LONG}a`, `${LONG}b`, `${LONG}c`], 1_048_576],
  ])("a stream without a session watches %s at most", async (_what, resources, max) => {
    const server = testServer({ onError: () => undefined });
    server.resourceTemplate("n://{n}", {}, ({ n }) => n);
    const client = await open("direct", server, { revision: "2026-07-28" });
    expect(await failureOf(client.listen({ resources }))).toMatchObject({ data: { max } });
    await client.close();
  });
});
