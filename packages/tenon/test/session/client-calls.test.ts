/** The calls of a session and of its client, and what is opened for them. */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  Client,
  ClientSession,
  connect,
  createDirectPair,
  createMemoryPair,
  JsonRpcDispatcher,
  McpServer,
  McpUsageError,
  ToolError,
  type ClientSessionOptions,
  type JsonObject,
  type Target,
} from "tenon";
import { serveHttp } from "tenon/node";
import type { ContextWriter } from "tenon/compat/python";
import { failureOf } from "../support/failure-of.ts";
import { connected } from "../support/odd-server.ts";
import { result, scriptedServer } from "../support/scripted-server.ts";
import { createSource, createStreamsPair, SOURCE_KINDS } from "../support/sources.ts";
import { turn, VirtualClock } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

function createServer(): McpServer {
  const server = new McpServer({ name: "sums", version: "1.0.0" }, { onError: () => undefined });
  server.tool("add", { input: { type: "object" } }, (args) => String(Number(args["a"]) + Number(args["b"])));
  server.tool("fail", {}, () => {
    throw new ToolError("it did not work");
  });
  server.tool("throw", {}, () => {
    throw new Error("a bug");
  });
  server.resource("a://broken", { name: "broken" }, () => {
    throw new TypeError("another bug");
  });
  return server;
}

/** What the last request said. */
const paramsOf = (sent: readonly JsonObject[]): unknown => sent.at(-1)!["params"];

describe("What a client connects to", () => {
  const serveStreams = (): Target => {
    const { near, far } = createSource("a pair of streams");
    acceptorOf(createServer())
      .accept(far)
      .catch(() => undefined);
    return near;
  };
  const serveMemory = (): Target => {
    const [near, far] = createMemoryPair();
    acceptorOf(createServer())
      .accept(new JsonRpcDispatcher(far))
      .catch(() => undefined);
    return near;
  };
  const serveDispatcher = (): Target => {
    const [near, far] = createDirectPair();
    acceptorOf(createServer())
      .accept(far)
      .catch(() => undefined);
    return near;
  };
  const serveUrl = async (): Promise<string> => {
    const http = await serveHttp(createServer(), { port: 0 });
    onTestFinished(() => http.close());
    return http.url;
  };
  const targets: readonly [string, () => Target | Promise<Target>][] = [
    ["a server in this process", createServer],
    ["a URL as text", serveUrl],
    ["a URL", async () => new URL(await serveUrl())],
    ["a server at a URL", async () => ({ url: await serveUrl(), headers: { "x-a": "b" } })],
    ["a transport", serveMemory],
    ["a dispatcher", serveDispatcher],
    ["a pair of streams", serveStreams],
    ["a program", () => ({ command: process.execPath, args: ["packages/tenon-cli/dist/main.js", "run", "examples/server.ts"] })],
  ];

  it.each(targets)("%s: connected and introduced, or not at all [CL-01 CL-06]", async (_title, target) => {
    await using client = await connect(await target());
    expect((await client.callTool("add", { a: 1, b: 2 })).isError).toBe(false);
    expect(client.serverInfo).toMatchObject({ name: "sums" });
  });

  it("anything else is a mistake that is named [CL-01 CL-06]", async () => {
    for (const wrong of [null, 7, {}, { send: () => undefined }]) {
      await expect(connect(wrong as never)).rejects.toThrow(TypeError);
    }
  });

  it.each(SOURCE_KINDS)("nothing is read or written before connect(), over %s [CL-02 CS-01]", async (kind) => {
    const { near, far } = createSource(kind);
    const heard: string[] = [];
    void far.run(
      (request) => request.encode({ method: heard.push(request.method) }),
      (method) => void heard.push(method),
    );
    const session = new ClientSession(near, { onSample: () => ({ code: -1, message: "" }) });
    onTestFinished(() => session.close());
    await turn();
    expect(heard).toEqual([]);
  });

  it.each(SOURCE_KINDS)("connect() resolves when calls can be made, over %s [DI-07 CS-07]", async (kind) => {
    const { near, far } = createSource(kind);
    void far.run(
      () => ({ serverIsThere: true }),
      () => undefined,
    );
    const session = new ClientSession(near);
    onTestFinished(() => session.close());
    expect(await (await session.connect()).request("own/method")).toEqual({ serverIsThere: true });
  });

  it("a dispatcher that is running already is another's: the session is left as it was [DI-07 CS-07]", async () => {
    const [near, far] = createDirectPair();
    void near.run(
      () => ({}),
      () => undefined,
    );
    const session = new ClientSession(near);
    await expect(session.connect()).rejects.toThrow(McpUsageError);
    await expect(session.connect()).rejects.toThrow("running already");
    await far.close();
  });
});

describe("A client", () => {
  it("is a session, and has it [CL-11]", async () => {
    await using client = await connect(createServer());
    expect(client.session).toBe(client);
    expect(client).toBeInstanceOf(ClientSession);
    expect(client).toBeInstanceOf(Client);
    expect(client.initializeResult).toBeUndefined();
    await using old = await connect(createServer(), { revision: "2025-06-18" });
    expect(old.session.initializeResult).toMatchObject({ protocolVersion: "2025-06-18", serverInfo: { name: "sums" } });
  });

  it("hands what it is given to its session [CL-05 CS-01]", async () => {
    const heard: unknown[] = [];
    const server = testServer();
    server.tool("ask", {}, async (_input, { session, log }) => {
      await log.info("asking");
      const { roots } = await session.listRoots();
      const { model } = await session.createMessage({ messages: [], maxTokens: 1 });
      const { action } = await session.elicitForm({ message: "?", requestedSchema: { type: "object", properties: {} } });
      return JSON.stringify([roots, model, action, session.clientParams?.clientInfo.name]);
    });
    const options: ClientSessionOptions = {
      clientInfo: { name: "me", version: "1" },
      roots: () => [],
      onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "" } }),
      onElicit: () => ({ action: "decline" }),
      onLog: ({ data }) => void heard.push(data),
      onMessage: ({ method }) => void heard.push(method),
    };
    await using client = await connect(server, { ...options, revision: "2025-11-25" });
    expect((await client.callTool("ask")).text).toBe('[[],"m","decline","me"]');
    expect(heard).toEqual(["asking", "notifications/message"]);
  });

  it("a call takes its own time, progress and metadata; a tool's failure is a result [CL-19 CS-21]", async () => {
    const clock = new VirtualClock();
    const steps: unknown[] = [];
    const { client, server } = await connected(
      {
        "tools/call": (request, own) => {
          const { name, _meta } = request["params"] as { name: string; _meta?: JsonObject };
          if (name === "hang") return;
          if (_meta?.["progressToken"] !== undefined) {
            own.push({
              jsonrpc: "2.0",
              method: "notifications/progress",
              params: { progressToken: _meta["progressToken"], progress: 1 },
            });
          }
          result({ content: [], isError: true })(request, own);
        },
      },
      { clock, timeout: 1_000, validateOutput: false },
    );
    const failed = await client.callTool("t", { a: null }, { onProgress: (step) => void steps.push(step), meta: { "x/y": 1 } });
    expect(failed.isError).toBe(true);
    expect(paramsOf(server.sent)).toEqual({
      name: "t",
      arguments: { a: null },
      _meta: { "x/y": 1, progressToken: expect.anything() },
    });
    expect(steps).toEqual([{ progress: 1 }]);
    await client.callTool("t");
    expect(paramsOf(server.sent)).toEqual({ name: "t" });
    const hanging = failureOf(client.callTool("hang", {}, { timeout: 20 }));
    await clock.advance(20);
    expect(await hanging).toMatchObject({ code: -32001, data: { method: "tools/call", timeoutMs: 20 } });
    await expect(client.callTool("hang", {}, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
  });

  it("raiseExceptions: what a handler threw is the cause of the call's failure, and comes again at the end [CL-03]", async () => {
    const client = await connect(createServer(), { raiseExceptions: true });
    expect((await client.callTool("add", { a: 1, b: 1 })).text).toBe("2");
    expect((await client.callTool("fail")).text).toBe("it did not work");
    const call = await failureOf(client.callTool("throw"));
    expect(call).toMatchObject({ code: -32603, cause: new Error("a bug") });
    const read = await failureOf(client.readResource("a://broken"));
    expect(read.cause).toEqual(new TypeError("another bug"));
    expect(await failureOf(client.readResource("a://nowhere"))).toMatchObject({ code: -32602 });
    const end = await client.close().catch((error: unknown) => error);
    expect(end).toBeInstanceOf(AggregateError);
    expect((end as AggregateError).errors).toEqual([new Error("a bug"), new TypeError("another bug")]);
    await client.close();
  });

  it("raiseExceptions: an exception is thrown unchanged, and not if the option is off [CL-03]", async () => {
    const client = await connect(createServer(), { raiseExceptions: true, revision: "2025-06-18" });
    await failureOf(client.callTool("throw"));
    await expect(client.close()).rejects.toThrow("a bug");
    await using quiet = await connect(createServer());
    expect((await quiet.callTool("throw")).isError).toBe(true);
  });
});

describe("The methods of a session", () => {
  const open = async (options?: ClientSessionOptions): Promise<{ session: ClientSession; sent: JsonObject[] }> => {
    const server = scriptedServer(
      Object.fromEntries(
        [
          "tools/list",
          "resources/list",
          "resources/templates/list",
          "prompts/list",
          "logging/setLevel",
          "completion/complete",
        ].map((method) => [
          method,
          result({ tools: [], resources: [], resourceTemplates: [], prompts: [], completion: { values: [] } }),
        ]),
      ),
    );
    const session = await new ClientSession(server, options).connect();
    onTestFinished(() => session.close());
    return { session, sent: server.sent };
  };

  it("lists take the whole of their params, future members included; without params there are none [CS-43 CL-16]", async () => {
    const { session, sent } = await open();
    const lists = [
      (params?: JsonObject) => session.listTools(params),
      (params?: JsonObject) => session.listResources(params),
      (params?: JsonObject) => session.listResourceTemplates(params),
      (params?: JsonObject) => session.listPrompts(params),
    ];
    for (const list of lists) {
      await list({ cursor: "", filter: { later: true }, _meta: { a: 1 } });
      expect(paramsOf(sent)).toEqual({ cursor: "", filter: { later: true }, _meta: { a: 1 } });
      await list();
      expect(Object.keys((paramsOf(sent) as JsonObject | undefined) ?? {})).toEqual([]);
    }
  });

  it("progress may have _meta [CS-41 CL-14]", async () => {
    const { session, sent } = await open();
    await session.sendProgress({ progressToken: "t", progress: 1, total: 2, message: "m", _meta: { "x/y": null } });
    expect(sent).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "t", progress: 1, total: 2, message: "m", _meta: { "x/y": null } },
      },
    ]);
    await session.sendProgress({ progressToken: 0, progress: 0 });
    expect(paramsOf(sent)).toEqual({ progressToken: 0, progress: 0 });
  });

  it("the level of log messages is asked for, by hand or from the beginning [CS-42 CL-15]", async () => {
    const { session, sent } = await open();
    await session.setLoggingLevel("warning", { meta: { a: 1 } });
    expect(sent).toMatchObject([{ method: "logging/setLevel", params: { level: "warning", _meta: { a: 1 } } }]);
    const server = testServer();
    server.tool("log", {}, async (_input, { log }) => {
      await log.warning("quiet");
      await log.error("loud");
      return "";
    });
    const heard: unknown[] = [];
    const { near, far } = createSource("a transport");
    acceptorOf(server)
      .accept(far)
      .catch(() => undefined);
    const own = new ClientSession(near, { logLevel: "error", onLog: ({ data }) => void heard.push(data) });
    onTestFinished(() => own.close());
    await (await own.connect()).initialize();
    await own.callTool("log");
    expect(heard).toEqual(["loud"]);
  });

  it("half an argument is not sent to be completed [CS-45]", async () => {
    const { session, sent } = await open();
    const ref = { type: "ref/prompt", name: "p" } as const;
    for (const argument of [{ name: "a" }, { value: "b" }, { name: "a", value: 1 }]) {
      await expect(session.complete({ ref, argument: argument as never })).rejects.toThrow(TypeError);
    }
    expect(sent).toEqual([]);
    await session.complete({ ref, argument: { name: "a", value: "" } });
    expect(paramsOf(sent)).toEqual({ ref, argument: { name: "a", value: "" } });
  });

  it("progress is requested only if there is a callback for it [CS-21]", async () => {
    const { session, sent } = await open();
    await session.listTools();
    await session.listTools({ _meta: { a: 1 } }, { onProgress: () => undefined });
    expect(sent.map(({ params }) => (params as JsonObject | undefined)?.["_meta"])).toEqual([
      undefined,
      { a: 1, progressToken: 2 },
    ]);
  });
});

describe("What a session cannot read", () => {
  it("errors of its streams go to onError, which may make requests and may throw [CS-05 CS-95 CS-96]", async () => {
    const [near, far] = createStreamsPair(4);
    const answers: unknown[] = [];
    const told: Error[] = [];
    const session = new ClientSession(near, {
      onError: (failure) => {
        told.push(failure);
        void session.request("own/method").then((answer) => answers.push(answer));
        throw new Error("contained");
      },
    });
    onTestFinished(() => session.close());
    await session.connect();
    const write = far.write as ContextWriter;
    await write.send(new Error("could not be read"));
    const items = far.read[Symbol.asyncIterator]();
    const { value } = (await items.next()) as { value: { message: { id: number } } };
    await write.send({ message: { jsonrpc: "2.0", id: value.message.id, result: { fine: true } } });
    await expect.poll(() => answers).toEqual([{ fine: true }]);
    expect(told).toMatchObject([{ message: "could not be read", cause: new Error("could not be read") }]);
  });

  it("errors of a dispatcher that was handed over are its owner's [CS-05]", async () => {
    const [near, far] = createMemoryPair();
    const owner: Error[] = [];
    const session = new ClientSession(new JsonRpcDispatcher(near, { onError: (error) => void owner.push(error) }), {
      onError: () => expect.fail("not the session's"),
    });
    onTestFinished(() => session.close());
    await session.connect();
    await far.send({ jsonrpc: "2.0", id: "never asked", result: {} });
    await expect.poll(() => owner).toHaveLength(1);
  });
});
