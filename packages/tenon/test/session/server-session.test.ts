/** `ctx.session`: what a handler knows of its client, and both channels to it. */
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  McpServer,
  NoBackChannelError,
  StatelessModeNotSupported,
  type InitializeRequestParams,
  type JsonObject,
  type RequestContext,
  type ServerSession,
} from "tenon";
import { createFetchHandler, type InitializationState } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix } from "../support/matrix.ts";
import { RawClient } from "../support/raw-client.ts";
import { ScriptedTransport } from "../support/scripted-transport.ts";
import { turn } from "../support/virtual-clock.ts";
import { called, NOBODY, serverDoing } from "./called-handler.ts";

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
