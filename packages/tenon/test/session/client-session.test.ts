/** `ClientSession`, opened by hand over everything it can be opened over. */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  ClientSession,
  connect,
  ConnectionClosedError,
  LATEST_HANDSHAKE_VERSION,
  McpServer,
  McpUsageError,
  ProtocolViolationError,
  type ClientSessionOptions,
  type JsonObject,
  type SessionSource,
} from "tenon";
import { DEFAULT_CLIENT_INFO } from "tenon/client";
import { BaseSession } from "tenon/compat/python";
import { failureOf } from "../support/failure-of.ts";
import { methodsOf, result, scriptedServer, type Reply } from "../support/scripted-server.ts";
import { createSource, createStreamsPair, SOURCE_KINDS, type SourceKind } from "../support/sources.ts";

function createServer(): McpServer {
  const server = new McpServer({ name: "sums", version: "1.0.0" }, { instructions: "Add." });
  server.tool("add", { input: { type: "object" } }, (args) => String(Number(args["a"]) + Number(args["b"])));
  return server;
}

/** A session that was connected to a server, and closed when the test has finished. */
async function connected(
  kind: SourceKind,
  server: McpServer = createServer(),
  options: ClientSessionOptions = {},
): Promise<ClientSession> {
  const { near, far } = createSource(kind);
  acceptorOf(server)
    .accept(far)
    .catch(() => undefined);
  const session = new ClientSession(near, options);
  onTestFinished(() => session.close());
  return session.connect();
}

describe.each(SOURCE_KINDS)("A session over %s", (kind) => {
  it("opens, shakes hands and calls [CS-01 CS-35 CS-37 CS-38 CF-11 CF-19]", async () => {
    const session = await connected(kind);
    expect(session.initializeResult).toBeUndefined();
    expect(session.protocolVersion).toBe(LATEST_HANDSHAKE_VERSION);
    const initialized = await session.initialize();
    expect(initialized).toMatchObject({
      protocolVersion: LATEST_HANDSHAKE_VERSION,
      serverInfo: { name: "sums", version: "1.0.0" },
      instructions: "Add.",
      capabilities: { tools: {} },
    });
    expect(session.initializeResult).toBe(initialized);
    expect((await session.callTool("add", { a: 1, b: 2 })).text).toBe("3");
  });

  it("initialize gets one response, connect works once [CF-22]", async () => {
    const session = await connected(kind);
    const [first, again] = await Promise.all([session.initialize(), session.initialize()]);
    expect(again).toBe(first);
    expect(await session.initialize()).toBe(first);
    await expect(session.connect()).rejects.toThrow(McpUsageError);
  });

  it("opens without a handshake, on the revision that has none [CS-38 CF-19]", async () => {
    const asked: unknown[] = [];
    const server = createServer();
    server.tool("ask", {}, async (_input, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
    const session = await connected(kind, server, { roots: () => (asked.push(1), [{ uri: "file:///a" }]) });
    const found = await session.discover();
    expect(found).toMatchObject({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, instructions: "Add." });
    expect(session.protocolVersion).toBe("2026-07-28");
    expect(session.serverInfo).toMatchObject({ name: "sums" });
    expect(session.initializeResult).toBeUndefined();
    expect((await session.callTool("add", { a: 1, b: 2 })).text).toBe("3");
    expect((await session.callTool("ask")).text).toBe("file:///a");
    expect(asked).toEqual([1]);
  });

  it("a request before it is connected is misuse [CS-09 BS-07]", async () => {
    const session = new ClientSession(createSource(kind).near);
    onTestFinished(() => session.close());
    await expect(session.ping()).rejects.toThrow(McpUsageError);
    await expect(session.initialize()).rejects.toThrow(McpUsageError);
  });

  it("a notification can be sent before [CS-04 CS-10]", async () => {
    const { near, far } = createSource(kind);
    const heard: string[] = [];
    void far.run(
      () => ({}),
      (method) => void heard.push(method),
    );
    const session = new ClientSession(near, { roots: [] });
    onTestFinished(() => session.close());
    await session.sendRootsListChanged();
    expect(heard).toEqual(["notifications/roots/list_changed"]);
  });

  it("closing ends everything, also twice, and what comes later fails or is dropped [CS-08 CS-11 CS-12 CL-10]", async () => {
    const server = createServer();
    server.tool("hang", {}, () => new Promise<string>(() => undefined));
    const session = await connected(kind, server);
    await session.initialize();
    const hanging = failureOf(session.callTool("hang"));
    await session.close();
    await session.close();
    await session.closed;
    expect(await hanging).toMatchObject({ code: -32000, message: "Connection closed" });
    expect(await failureOf(session.ping())).toBeInstanceOf(ConnectionClosedError);
    await session.sendRootsListChanged();
    await expect(session.connect()).rejects.toThrow(McpUsageError);
  });

  it("closing aborts the callbacks that run [CS-08]", async () => {
    const server = createServer();
    server.tool("ask", {}, async (_input, { session }) => JSON.stringify(await session.listRoots()));
    const signals: AbortSignal[] = [];
    const roots: ClientSessionOptions["roots"] = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const session = await connected(kind, server, { roots });
    await session.initialize();
    const asking = failureOf(session.callTool("ask"));
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false]);
    await session.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await asking).toBeInstanceOf(ConnectionClosedError);
  });

  it("one that is abandoned before it was connected is as it was [CS-07]", async () => {
    const { near, far } = createSource(kind);
    const session = new ClientSession(near);
    onTestFinished(() => session.close());
    await expect(session.connect({ signal: AbortSignal.abort(new Error("no more")) })).rejects.toThrow("no more");
    acceptorOf(createServer())
      .accept(far)
      .catch(() => undefined);
    await session.connect();
    expect((await session.initialize()).serverInfo.name).toBe("sums");
  });
});

describe("What a session is opened over", () => {
  it("a pair of streams and a dispatcher at once are refused [CS-02]", () => {
    const [near] = createStreamsPair();
    const { near: dispatcher } = createSource("a dispatcher");
    const both = Object.assign(Object.create(dispatcher as object) as SessionSource, { read: near.read });
    expect(() => new ClientSession(both)).toThrow(new TypeError("Pass a pair of streams or a dispatcher, not both"));
  });

  it("so is half a pair [CS-03]", () => {
    const [{ read, write }] = createStreamsPair();
    for (const half of [{ read }, { write }, { read, write: undefined }]) {
      // @ts-expect-error the types want both
      expect(() => new ClientSession(half)).toThrow(new TypeError("A pair of streams must have both: { read, write }"));
    }
  });

  it("a pair of streams beside a dispatcher or a transport in a member of its own is refused [CS-02]", () => {
    const [pair] = createStreamsPair();
    const { near } = createSource("a dispatcher");
    for (const more of [{ dispatcher: near }, { transport: near }]) {
      // The types allow only known members in a literal; this is not a literal.
      const source: SessionSource = { ...pair, ...more };
      expect(() => new ClientSession(source)).toThrow(new TypeError("Pass a pair of streams or a dispatcher, not both"));
    }
  });

  it("a value that is not a dispatcher, a transport or a pair of streams is refused, with what is missing [CS-03]", () => {
    const [{ read, write }] = createStreamsPair();
    const { near: dispatcher } = createSource("a dispatcher");
    const without = (method: string): string =>
      `Pass a pair of streams, a dispatcher or a transport: this value has no method "${method}"`;
    const both = "A pair of streams must have both: { read, write }";
    const idle = (): undefined => undefined;
    const wrong: [unknown, string][] = [
      ...[undefined, null, "http://localhost", {}].map((one): [unknown, string] => [one, without("receive")]),
      ...[{ transport: 1 }, { dispatcher }, { read: 1, write: 2 }, { receive: 1 }].map((one): [unknown, string] => [
        one,
        without("receive"),
      ]),
      [{ receive: idle, close: idle }, without("send")],
      [{ run: idle, request: idle, close: idle }, without("notify")],
      [{ read, write: 2 }, both],
      [{ read: {}, write }, both],
      [{ read, write: {} }, both],
    ];
    for (const [source, message] of wrong) {
      // as a program without types would
      expect(() => new ClientSession(source as SessionSource)).toThrow(new TypeError(message));
      expect(() => new BaseSession(source as SessionSource)).toThrow(new TypeError(message));
    }
  });

  it("connect() takes a pair of streams as well [CS-02]", async () => {
    const { near, far } = createSource("a pair of streams");
    acceptorOf(createServer())
      .accept(far)
      .catch(() => undefined);
    await using client = await connect(near);
    expect((await client.callTool("add", { a: 2, b: 2 })).text).toBe("4");
  });
});

describe("The handshake of a session", () => {
  const answer = (more: JsonObject = {}): JsonObject => ({
    protocolVersion: LATEST_HANDSHAKE_VERSION,
    capabilities: {},
    serverInfo: { name: "odd", version: "1" },
    ...more,
  });
  const open = async (
    initialize: Reply,
    options?: ClientSessionOptions,
  ): Promise<{ session: ClientSession; server: ReturnType<typeof scriptedServer> }> => {
    const server = scriptedServer({ initialize });
    const session = new ClientSession(server, options);
    onTestFinished(() => session.close());
    return { session: await session.connect(), server };
  };
  const offeredBy = async (options: ClientSessionOptions): Promise<JsonObject> => {
    const { session, server } = await open(result(answer()), options);
    await session.initialize();
    return server.sent[0]!["params"] as JsonObject;
  };
  const model: NonNullable<ClientSessionOptions["onSample"]> = () => ({
    role: "assistant",
    model: "m",
    content: { type: "text", text: "" },
  });

  it("says who it is, by default as well [CS-06 CS-35]", async () => {
    expect(DEFAULT_CLIENT_INFO.name).toBe("tenon");
    expect(await offeredBy({})).toEqual({
      protocolVersion: LATEST_HANDSHAKE_VERSION,
      capabilities: {},
      clientInfo: DEFAULT_CLIENT_INFO,
    });
    expect(await offeredBy({ clientInfo: { name: "me", version: "2" } })).toMatchObject({
      clientInfo: { name: "me", version: "2" },
    });
  });

  it("a capability is declared exactly if there is a callback for it [CS-30 CS-31 CS-32 CS-33 CS-34]", async () => {
    const capabilitiesOf = async (options: ClientSessionOptions): Promise<unknown> => (await offeredBy(options))["capabilities"];
    expect(await capabilitiesOf({ samplingCapabilities: { tools: {} } })).toEqual({});
    expect(await capabilitiesOf({ onSample: model })).toEqual({ sampling: {} });
    expect(await capabilitiesOf({ onSample: model, samplingCapabilities: { tools: {} } })).toEqual({ sampling: { tools: {} } });
    expect(await capabilitiesOf({ onElicit: () => ({ action: "cancel" }) })).toEqual({ elicitation: { form: {}, url: {} } });
    expect(await capabilitiesOf({ onElicit: () => ({ action: "cancel" }), elicitationModes: ["form"] })).toEqual({
      elicitation: { form: {} },
    });
    expect(await capabilitiesOf({ roots: [] })).toEqual({ roots: { listChanged: true } });
    expect(await capabilitiesOf({ experimental: { x: { y: 1 } } })).toEqual({ experimental: { x: { y: 1 } } });
  });

  it("an unknown revision: nothing is stored, no more is sent to the server, the connection ends [CS-36 CS-38]", async () => {
    const { session, server } = await open(result(answer({ protocolVersion: "1999-01-01" })));
    const failure = await failureOf(session.initialize());
    expect(failure).toBeInstanceOf(ProtocolViolationError);
    expect(failure.message).toBe("Unsupported protocol version from the server: 1999-01-01");
    expect(session.initializeResult).toBeUndefined();
    expect(methodsOf(server)).toEqual(["initialize"]);
    await session.closed;
  });

  it("the result is stored before the server is notified [CS-37]", async () => {
    let stored: unknown;
    const { session, server } = await open(result(answer()));
    const write = server.write;
    server.write = (message) => {
      if ("method" in message && message.method === "notifications/initialized") stored = session.initializeResult;
      return write(message);
    };
    expect(await session.initialize()).toBe(stored);
    expect(methodsOf(server)).toEqual(["initialize", "notifications/initialized"]);
  });

  it("one that takes too long is cancelled without a message, and can be tried again [CS-23 XT-04 CL-08]", async () => {
    let silent = true;
    const { session, server } = await open((request, own) => (silent ? undefined : result(answer())(request, own)));
    expect(await failureOf(session.initialize({ timeout: 1 }))).toMatchObject({ code: -32001 });
    await expect(session.initialize({ signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow("no");
    silent = false;
    await session.initialize();
    expect(methodsOf(server)).toEqual(["initialize", "initialize", "notifications/initialized"]);
  });
});
