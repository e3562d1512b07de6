/** `ctx.session`: what a handler knows of its client, and both channels to it. */
import { describe, expect, expectTypeOf, it, onTestFinished } from "vitest";
import {
  acceptorOf,
  connect,
  JsonRpcDispatcher,
  McpServer,
  MissingClientCapabilityError,
  NoBackChannelError,
  ProtocolViolationError,
  StatelessModeNotSupported,
  type CreateMessageRequestParams,
  type CreateMessageResult,
  type CreateMessageResultWithTools,
  type InitializeRequestParams,
  type JsonObject,
  type RequestContext,
  type SamplingMessage,
  type ServerSession,
} from "tenon";
import { createFetchHandler, type InitializationState } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { RawClient } from "../support/raw-client.ts";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";
import { testServer } from "../support/test-server.ts";

const NOBODY = { name: "nobody", version: "0" };

/** A server whose one tool does what the test wants. */
function serverDoing(work: (context: RequestContext) => unknown): McpServer {
  const server = testServer({ onError: () => undefined });
  server.tool("do", {}, async (_input, context) => {
    await work(context);
    return "done";
  });
  server.resource("a://b", { name: "b" }, () => "");
  server.prompt("p", {}, () => "");
  return server;
}

/** A stateful connection whose client is the test, after the handshake; the tool is called with `id`. */
async function called(
  work: (context: RequestContext) => unknown,
  { capabilities = {}, id = 0, _meta = {} }: { capabilities?: JsonObject; id?: number | string; _meta?: JsonObject } = {},
): Promise<ScriptedTransport> {
  const transport = new ScriptedTransport();
  const dispatcher = new JsonRpcDispatcher(transport);
  onTestFinished(() => dispatcher.close());
  acceptorOf(serverDoing(work))
    .accept(dispatcher)
    .catch(() => undefined);
  transport.push({
    jsonrpc: "2.0",
    id: "init",
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo: NOBODY },
  });
  transport.push({ jsonrpc: "2.0", method: "notifications/initialized" });
  await turn();
  transport.take();
  transport.push({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "do", arguments: {}, _meta } });
  await turn();
  return transport;
}

/** What was written, with the request that each message belongs to. */
function written({ sent, related }: ScriptedTransport): unknown[] {
  return sent.map(({ method, params, id }, index) => ({
    method,
    params,
    related: related[index],
    ...(id !== undefined && { id }),
  }));
}

describeMatrix("What a handler knows of its client", ({ connect: connectTo, stateless, revision }) => {
  it("its identity, its capabilities, and the revision of the request [SS-01 SS-03 SS-20 SS-29 SS-30 SS-31 SS-83]", async () => {
    const seen: [InitializeRequestParams | undefined, string, JsonObject, boolean][] = [];
    const server = serverDoing(({ session }) => {
      seen.push([session.clientParams, session.protocolVersion, session.clientCapabilities, session.canSendRequest]);
    });
    const clientInfo = { name: "me", version: "2" };
    const client = await connectTo(server, { clientInfo, roots: [] });
    await client.callTool("do");
    const capabilities = { roots: stateless ? {} : { listChanged: true } };
    expect(seen).toEqual([[{ protocolVersion: revision, capabilities, clientInfo }, revision, capabilities, !stateless]]);
  });
});

describeMatrix("A header of the HTTP request", ({ connect: connectTo, transport }) => {
  it("is available to handlers by its name in any case, over HTTP only [DI-04 SM-03]", async () => {
    const seen: unknown[] = [];
    const server = serverDoing((ctx) => {
      seen.push([ctx.header("Content-Type"), ctx.header("x-none")]);
    });
    const client = await connectTo(server);
    await Promise.all([client.callTool("do"), client.callTool("do")]);
    const overHttp = transport === "fetch" || transport === "socket";
    const expected = [overHttp ? "application/json" : undefined, undefined];
    expect(seen).toEqual([expected, expected]);
  });
});

describeMatrix("The standalone channel", ({ connect: connectTo, stateless }) => {
  it("reaches the client beside the response, if there is such a channel [SS-08 SS-60 SS-62 SS-65 SS-68 XT-13]", async () => {
    const heard: string[] = [];
    let roots: unknown;
    const server = serverDoing(async ({ session }) => {
      await session.standalone.sendLogMessage({ level: "info", data: "beside" });
      await session.sendPromptListChanged();
      roots = await session.standalone.listRoots().catch((error: unknown) => error);
    });
    const client = await connectTo(server, {
      roots: [{ uri: "file:///a" }],
      onMessage: ({ method }) => void heard.push(method),
    });
    await client.callTool("do");
    if (stateless) {
      expect(roots).toBeInstanceOf(StatelessModeNotSupported);
      expect(heard).toEqual([]);
      return;
    }
    expect(roots).toEqual({ roots: [{ uri: "file:///a" }] });
    await expect.poll(() => heard).toEqual(["notifications/message", "notifications/prompts/list_changed"]);
  });
});

it("of a client that has not introduced itself nothing is known but the revision [SS-31 SS-40 SS-29]", async () => {
  const seen: unknown[] = [];
  const see = ({ session }: Pick<RequestContext, "session">): void =>
    void seen.push([session.clientParams, session.clientCapabilities, session.protocolVersion]);
  const server = serverDoing(see);
  server.use("ping", (next) => (context) => {
    see(context);
    return next(context);
  });
  const client = new RawClient(server);
  await client.request("ping", {});
  await client.ask("tools/call", { name: "do" });
  expect(seen).toEqual([
    [undefined, {}, "2025-11-25"],
    [undefined, {}, "2026-07-28"],
  ]);
});

it("what it said is kept as it said it [SS-03 SS-31]", async () => {
  let params: InitializeRequestParams | undefined;
  const client = new RawClient(serverDoing(({ session }) => void (params = session.clientParams)));
  const said = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo: NOBODY, _meta: { "x/y": 1 } };
  await client.request("initialize", said);
  await client.request("tools/call", { name: "do" });
  expect(params).toEqual(said);
});

it("what a server says of itself is what it was made with; states are words [SS-04 SS-09 SS-22 CV-11]", async () => {
  const info = {
    name: "s",
    version: "1",
    title: "S",
    description: "d",
    websiteUrl: "https://example.com",
    icons: [{ src: "data:," }],
  };
  const client = new RawClient(new McpServer(info, { instructions: "Be kind.", capabilities: { experimental: { x: {} } } }));
  const { result } = (await client.initialize("2025-11-25")) as { result: JsonObject };
  expect(result).toMatchObject({ serverInfo: info, instructions: "Be kind.", capabilities: { experimental: { x: {} } } });
  expectTypeOf<InitializationState>().toEqualTypeOf<"notInitialized" | "initializing" | "initialized">();
});

describe("The channels of a session", () => {
  const say = async (session: ServerSession): Promise<void> => {
    await session.sendLogMessage({ level: "info", data: null });
    await session.sendProgress({ progressToken: 0, progress: 1, total: 2 });
    await session.notify("notifications/elicitation/complete", { elicitationId: "a" });
    await session.sendElicitComplete("b");
  };
  const said = (related: unknown): unknown[] => [
    { method: "notifications/message", params: { level: "info", data: null }, related },
    { method: "notifications/progress", params: { progressToken: 0, progress: 1, total: 2 }, related },
    { method: "notifications/elicitation/complete", params: { elicitationId: "a" }, related },
    { method: "notifications/elicitation/complete", params: { elicitationId: "b" }, related },
  ];

  it.each([0, 7, "seven"])(
    "the request's own is the rule (id %j) [SS-07 SS-08 SS-62 SS-65 SS-66 SS-69 CF-10 CF-20 XT-21]",
    async (id) => {
      const transport = await called(({ session }) => say(session), { id });
      expect(written(transport).slice(0, 4)).toEqual(said(id));
      expect(transport.sent.at(-1)).toMatchObject({ id, result: {} });
    },
  );

  it("the standalone one is asked for [SS-62 SS-65]", async () => {
    const transport = await called(({ session }) => say(session.standalone));
    expect(written(transport).slice(0, 4)).toEqual(said(undefined));
  });

  it("notifications about the server are sent on the standalone stream of every session [SS-67 SS-68]", async () => {
    const transport = await called(async ({ session }) => {
      await session.sendResourceUpdated("a://B/../c");
      await session.sendResourceUpdated(new URL("a://b"));
      await session.sendToolListChanged();
      await session.sendResourceListChanged();
      await session.sendPromptListChanged();
    });
    expect(written(transport).slice(0, 5)).toEqual([
      { method: "notifications/resources/updated", params: { uri: "a://B/../c" }, related: undefined },
      { method: "notifications/resources/updated", params: { uri: "a://b" }, related: undefined },
      { method: "notifications/tools/list_changed", params: undefined, related: undefined },
      { method: "notifications/resources/list_changed", params: undefined, related: undefined },
      { method: "notifications/prompts/list_changed", params: undefined, related: undefined },
    ]);
  });

  it("requests too [SS-60 SS-62 SS-70 DI-02]", async () => {
    const transport = await called(({ session }) => Promise.all([session.ping(), session.standalone.ping()]));
    expect(written(transport)).toEqual([
      { id: 1, method: "ping", params: undefined, related: 0 },
      { id: 2, method: "ping", params: undefined, related: undefined },
    ]);
  });

  it("log messages below the level the client asked for are not sent on either [SS-66 K6.1]", async () => {
    const transport = await called(({ session }) =>
      Promise.all([session, session.standalone].map((each) => each.sendLogMessage({ level: "debug", data: 1, logger: "x" }))),
    );
    expect(written(transport).filter((each) => (each as JsonObject)["method"] === "notifications/message")).toHaveLength(2);
    const client = new RawClient(serverDoing(({ session }) => session.standalone.sendLogMessage({ level: "info", data: 1 })));
    await client.initialize("2025-06-18");
    await client.request("logging/setLevel", { level: "error" });
    expect(await client.request("tools/call", { name: "do" })).toMatchObject({ result: {} });
  });

  it("on a stateless revision there is no standalone one: nothing is said, and nothing fails [SS-65 SS-68]", async () => {
    const client = new RawClient(
      serverDoing(async ({ session }) => {
        await session.sendToolListChanged();
        await session.sendResourceUpdated("a://b");
        await session.standalone.sendLogMessage({ level: "info", data: 1 });
      }),
    );
    expect(await client.ask("tools/call", { name: "do" })).toMatchObject({ result: { content: [{ text: "done" }] } });
  });

  it("on a connection that has ended notifications are dropped, and requests fail [SS-65 DI-11]", async () => {
    let failure: Promise<unknown> | undefined;
    let told: Promise<unknown> | undefined;
    const transport = await called(async ({ session, signal }) => {
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      told = session.standalone.sendToolListChanged();
      failure = failureOf(session.standalone.ping());
    });
    transport.end();
    await turn();
    await told;
    expect(await failure).toMatchObject({ code: -32000 });
  });

  it("after its response a request's channel is closed [SS-08 DI-03]", async () => {
    let late: ServerSession | undefined;
    const transport = await called(({ session }) => void (late = session));
    transport.take();
    await late!.sendProgress({ progressToken: 1, progress: 1 });
    expect(await failureOf(late!.ping())).toBeInstanceOf(NoBackChannelError);
    expect(transport.sent).toEqual([]);
  });
});

describe("Without a back-channel", () => {
  const asks: readonly [string, string, (session: ServerSession) => Promise<unknown>][] = [
    ["SS-82 SS-87 createMessage", "sampling", (session) => session.createMessage({ messages: [], maxTokens: 1, tools: [] })],
    [
      "SS-74 elicitForm",
      "elicitation",
      (session) => session.elicitForm({ message: "", requestedSchema: { type: "object", properties: {} } }),
    ],
    ["SS-75 elicitUrl", "elicitation", (session) => session.elicitUrl({ message: "", url: "https://example.com" })],
    ["SS-76 listRoots", "list_roots", (session) => session.listRoots()],
  ];
  const outcomes: unknown[] = [];
  const server = (ask: (session: ServerSession) => Promise<unknown>): McpServer =>
    serverDoing(async ({ session }) => {
      for (const each of [session, session.standalone]) outcomes.push(await failureOf(ask(each)));
      outcomes.push(session.canSendRequest);
    });

  it.each(asks)("%s fails at once, as what it is [XT-13 CF-12 ER-10 ER-11]", async (_title, method, ask) => {
    outcomes.length = 0;
    const client = new RawClient(server(ask));
    expect(await client.ask("tools/call", { name: "do" })).toMatchObject({ result: { content: [{ text: "done" }] } });
    expect(outcomes.pop()).toBe(false);
    expect(outcomes).toHaveLength(2);
    for (const failure of outcomes) {
      expect(failure).toBeInstanceOf(StatelessModeNotSupported);
      expect(failure).toBeInstanceOf(NoBackChannelError);
      expect(failure).toMatchObject({ code: -32600, method });
    }
  });

  it("ping, and anything else, too, without a word about a mode [XT-13 SS-61 SS-70 CF-12]", async () => {
    for (const ask of [(session: ServerSession) => session.ping(), (session: ServerSession) => session.request("own/method")]) {
      outcomes.length = 0;
      const client = new RawClient(server(ask));
      await client.ask("tools/call", { name: "do" });
      for (const failure of outcomes.slice(0, 2)) {
        expect(failure).toBeInstanceOf(NoBackChannelError);
        expect(failure).not.toBeInstanceOf(StatelessModeNotSupported);
      }
    }
  });

  it("nor over HTTP without sessions, on a stateful revision [SS-61 SS-70 CF-12]", async () => {
    outcomes.length = 0;
    const handler = createFetchHandler(
      serverDoing(async ({ session }) => {
        outcomes.push(session.canSendRequest);
        for (const each of [session, session.standalone])
          outcomes.push(await failureOf(each.listRoots()), await failureOf(each.ping()));
        await session.sendToolListChanged();
      }),
      { sessions: false },
    );
    const response = await handler(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "do" } }),
      }),
    );
    expect(await response.text()).toContain("done");
    expect(outcomes[0]).toBe(false);
    const [, roots, ping] = outcomes;
    expect(outcomes.slice(3)).toEqual([roots, ping]);
    expect(roots).toBeInstanceOf(StatelessModeNotSupported);
    expect(ping).toBeInstanceOf(NoBackChannelError);
  });
});

describe("A request for the client's model", () => {
  const message: SamplingMessage = { role: "user", content: { type: "text", text: "?" } };
  const plain: CreateMessageRequestParams = { messages: [message], maxTokens: 5 };
  const answer = { role: "assistant", model: "m", content: { type: "text", text: "!" } };
  const tool = { name: "t", inputSchema: { type: "object" as const } };
  const open: SamplingMessage[] = [
    { role: "assistant", content: { type: "tool_use", id: "a", name: "t", input: {} } },
    { role: "user", content: { type: "text", text: "never mind" } },
  ];

  /** The error of the request; only the tool's own response may have been written. */
  async function refused(params: CreateMessageRequestParams, capabilities: JsonObject): Promise<unknown> {
    let failure: unknown;
    const transport = await called(
      ({ session }) =>
        session.createMessage(params).catch((error: unknown) => {
          failure = error;
        }),
      { capabilities },
    );
    await expect.poll(() => failure).toBeDefined();
    await turn();
    expect(transport.sent.map(({ method }) => method)).toEqual([undefined]);
    return failure;
  }

  /** What is written for a request. */
  async function asked(params: CreateMessageRequestParams, capabilities: JsonObject): Promise<JsonObject> {
    const transport = await called(({ session }) => session.createMessage(params), { capabilities });
    await expect.poll(() => transport.sent).toHaveLength(1);
    return transport.sent[0]!;
  }

  it("is written in the words of the protocol, and what was not said is not there [SS-80 SS-86 CV-03]", async () => {
    const { method, params } = await asked(plain, { sampling: {} });
    expect(method).toBe("sampling/createMessage");
    expect(params).toStrictEqual({ messages: [message], maxTokens: 5 });
    const everything: CreateMessageRequestParams = {
      ...plain,
      systemPrompt: "s",
      includeContext: "thisServer",
      temperature: 0,
      stopSequences: [],
      metadata: { a: null },
      modelPreferences: { hints: [{ name: "h" }], costPriority: 0 },
      tools: [tool],
      toolChoice: { mode: "auto" },
    };
    expect((await asked(everything, { sampling: { tools: {}, context: {} } }))["params"]).toStrictEqual(everything);
  });

  it("needs the capability for tools, checked before the conversation [SS-82 SS-83 SS-84 SS-87 SV-02 XT-15 L2.1]", async () => {
    for (const more of [{ tools: [] }, { tools: [tool] }, { toolChoice: {} }]) {
      const failure = await refused({ messages: open, maxTokens: 1, ...more }, { sampling: {} });
      expect(failure).toMatchObject({ code: -32602, message: "Client does not support sampling tools capability" });
    }
  });

  it("is not sent where the conversation does not hold together [SS-82 SS-87 SV-09 XT-15 L2.4]", async () => {
    const failure = await refused({ messages: open, maxTokens: 1, tools: [tool] }, { sampling: { tools: {} } });
    expect(failure).toBeInstanceOf(RangeError);
  });

  it("does not ask for the context of servers where the client did not offer it [SS-85 L2.1]", async () => {
    const failure = await refused({ ...plain, includeContext: "allServers" }, { sampling: {} });
    expect(failure).toBeInstanceOf(MissingClientCapabilityError);
    await asked({ ...plain, includeContext: "none" }, { sampling: {} });
    await asked({ ...plain, includeContext: "allServers" }, { sampling: { context: {} } });
  });

  it("the result has one block if no tools were offered [SS-63 SS-64 SS-81 TY-71]", async () => {
    const outcomes: unknown[] = [];
    const transport = await called(
      async ({ session }) => {
        for (const more of [{}, { tools: [] }])
          outcomes.push(await session.createMessage({ ...plain, ...more }).catch((error: unknown) => error));
      },
      { capabilities: { sampling: { tools: {} } } },
    );
    const several = { ...answer, content: [answer.content] };
    for (const count of [1, 2]) {
      await expect.poll(() => transport.sent).toHaveLength(count);
      transport.push({ jsonrpc: "2.0", id: transport.sent.at(-1)!["id"], result: several });
    }
    await expect.poll(() => outcomes).toHaveLength(2);
    expect(outcomes[0]).toBeInstanceOf(ProtocolViolationError);
    expect(outcomes[1]).toEqual(several);
  });

  it("the type of the answer follows from what was offered [SS-81 SS-88 CV-09]", () => {
    expectTypeOf<ServerSession>().toHaveProperty("createMessage");
    const types = (session: ServerSession): unknown[] => {
      const one = session.createMessage({ messages: [], maxTokens: 1 });
      expectTypeOf(one).toEqualTypeOf<Promise<CreateMessageResult>>();
      const several = session.createMessage({ messages: [], maxTokens: 1, tools: [] });
      expectTypeOf(several).toEqualTypeOf<Promise<CreateMessageResultWithTools>>();
      return [one, several];
    };
    expect(types).toBeTypeOf("function");
  });

  it("a client does not hand its model a conversation that does not hold together [L2.4 SV-08]", async () => {
    const server = serverDoing(async ({ session }) => {
      failure = await failureOf(session.request("sampling/createMessage", { messages: open, maxTokens: 1 }));
    });
    let failure: unknown;
    await using client = await connect(server, { revision: "2025-11-25", onSample: () => expect.fail("not asked") });
    await client.callTool("do");
    expect(failure).toMatchObject({ code: -32602, message: /do not match/ });
  });
});
