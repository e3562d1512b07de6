/**
 * Messages that belong to no request, changes, and what a client sets: from any node to the one stream that the client has open.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import type { McpServer } from "tenon/server";
import type { JsonObject } from "tenon";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { Nodes, SHARED, STATEFUL, type RawResponse, type RawSession } from "./nodes.ts";
import { testServer } from "../support/test-server.ts";

const URI = "note://1";

function makeServer(index: number): McpServer {
  const server = testServer({ ...SHARED, logging: true, capabilities: { tools: { listChanged: true } } });
  server.tool("tell", { input: { type: "object", properties: { text: { type: "string" } } } as const }, async ({ text }, ctx) => {
    await ctx.session.standalone.sendLogMessage({ level: "info", data: text ?? "" });
    return String(index);
  });
  server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.standalone.listRoots()).roots.length));
  server.resource(URI, {}, () => "text");
  return server;
}

let ids = 10;
const request = (method: string, params: JsonObject = {}): JsonObject => ({ jsonrpc: "2.0", id: ++ids, method, params });
const tell = (text: string): JsonObject => request("tools/call", { name: "tell", arguments: { text } });

/** Opens the GET stream of a session at one node. It is closed with the test. */
async function listen(session: RawSession, at: number, lastEventId?: string): Promise<RawResponse> {
  const stream = await session.send(at, {
    method: "GET",
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
  });
  expect(stream.status).toBe(200);
  onTestFinished(() => stream.drop());
  return stream;
}

const textOf = (message: JsonObject | undefined): unknown =>
  (message?.["params"] as JsonObject | undefined)?.["data"] ?? message?.["method"];

async function texts(stream: RawResponse, count: number): Promise<{ texts: unknown[]; last: string }> {
  const events = [];
  while (events.length < count) events.push((await stream.next())!);
  return { texts: events.map(({ message }) => textOf(message)), last: events.at(-1)!.id! };
}

describe.each(STATEFUL)("%s", (revision) => {
  test("what any node sends arrives on the stream of the client, in order, wherever it is resumed", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision);
    const first = await listen(session, 2);
    for (const [at, text] of [
      [0, "a"],
      [1, "b"],
      [2, "c"],
    ] as const)
      await (await session.send(at, { body: tell(text) })).text();
    const got = await texts(first, 3);
    await first.drop();
    for (const [at, text] of [
      [1, "d"],
      [0, "e"],
    ] as const)
      await (await session.send(at, { body: tell(text) })).text();
    const second = await listen(session, 1, got.last);
    await (await session.send(2, { body: tell("f") })).text();
    const more = await texts(second, 3);
    expect([...got.texts, ...more.texts]).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("what was sent before the client listens is kept; the newest stream gets the messages, at whichever node", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision);
    await (await session.send(1, { body: tell("a") })).text();
    const first = await listen(session, 0);
    expect((await texts(first, 1)).texts).toEqual(["a"]);
    const second = await listen(session, 2);
    expect(await first.rest()).toEqual([]);
    await (await session.send(0, { body: tell("b") })).text();
    expect((await texts(second, 1)).texts).toEqual(["b"]);
  });

  test("a client that names no place gets its own session's messages from where it left, and no other session's", async () => {
    const clock = new VirtualClock(); // the stream before has all the time that it needs
    const nodes = new Nodes(makeServer, { stores: memoryStores({ clock }), clock });
    const [one, two] = [await nodes.open(revision), await nodes.open(revision, 1)];
    for (const text of ["a", "b"]) await (await one.send(0, { body: tell(text) })).text();
    const first = await listen(one, 0);
    expect((await texts(first, 2)).texts).toEqual(["a", "b"]);
    const second = await listen(one, 1); // the stream before says how far it has come
    expect(await first.rest()).toEqual([]);
    for (const text of ["x", "y"]) await (await two.send(2, { body: tell(text) })).text();
    expect((await texts(await listen(two, 0), 2)).texts).toEqual(["x", "y"]);
    await (await one.send(2, { body: tell("c") })).text();
    expect((await texts(second, 1)).texts).toEqual(["c"]);
  });

  test("a request of the server arrives on that stream, and its response at any node goes to the handler", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision, 0, { roots: {} });
    const stream = await listen(session, 2);
    const running = session.send(1, { body: request("tools/call", { name: "roots", arguments: {} }) });
    const asked = (await stream.next())!.message;
    expect(asked["method"]).toBe("roots/list");
    const result = { roots: [{ uri: "file:///a" }, { uri: "file:///b" }] };
    expect((await session.send(0, { body: { jsonrpc: "2.0", id: asked["id"], result } })).status).toBe(202);
    expect(await (await running).message()).toMatchObject({ result: { content: [{ text: "2" }] } });
  });

  test("a response that is too long for the bus reaches the handler at another node whole", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision, 0, { roots: {} });
    const stream = await listen(session, 2);
    const running = session.send(1, { body: request("tools/call", { name: "roots", arguments: {} }) });
    const { id } = (await stream.next())!.message;
    const roots = Array.from({ length: 3 }, (_, n) => ({ uri: `file:///${n}/${"x".repeat(200_000)}` }));
    expect((await session.send(0, { body: { jsonrpc: "2.0", id, result: { roots } } })).status).toBe(202);
    expect(await (await running).message()).toMatchObject({ result: { content: [{ text: "3" }] } });
  });

  test("a change at one node, also while the client does not listen, reaches it once through its own node", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision);
    const stream = await listen(session, 2);
    nodes.nodes[0]!.server.listChanged("tools");
    const { texts: heard, last } = await texts(stream, 1);
    expect(heard).toEqual(["notifications/tools/list_changed"]);
    await stream.drop();
    expect((await session.send(1, { body: request("resources/subscribe", { uri: URI }) })).status).toBe(200);
    nodes.nodes[2]!.server.resourceUpdated(URI);
    nodes.nodes[2]!.server.resourceUpdated("note://of-no-client");
    await (await session.send(0, { body: tell("after") })).text();
    const resumed = await listen(session, 0, last);
    const seen = await texts(resumed, 2);
    expect([...seen.texts].sort()).toEqual(["after", "notifications/resources/updated"]);
    expect((await session.send(2, { body: request("resources/unsubscribe", { uri: URI }) })).status).toBe(200);
    nodes.nodes[1]!.server.resourceUpdated(URI);
    nodes.nodes[1]!.server.listChanged("resources");
    const end = await texts(resumed, 1);
    expect(end.texts).toEqual(["notifications/resources/list_changed"]);
  });

  test("a change that a stream begins with is not repeated when its node hears of it", async () => {
    const stores = memoryStores();
    const nodes = new Nodes(makeServer, { stores });
    const session = await nodes.open(revision);
    await (await session.send(1, { body: request("ping") })).text(); // from now on this node follows the changes
    await stores.events.add({ session: "changes", stream: "log" }, { key: "k", data: ['{"kind":"prompts"}'], ms: 60_000 });
    const stream = await listen(session, 1);
    expect((await texts(stream, 1)).texts).toEqual(["notifications/prompts/list_changed"]);
    await stores.bus.publish("changes", "");
    await (await session.send(1, { body: tell("last") })).text();
    expect((await texts(stream, 1)).texts).toEqual(["last"]);
  });

  test("the log level that a client sets at one node holds at all", async () => {
    const nodes = new Nodes(makeServer);
    const session = await nodes.open(revision);
    await (await session.send(1, { body: tell("before") })).text();
    expect((await session.send(2, { body: request("logging/setLevel", { level: "error" }) })).status).toBe(200);
    await (await session.send(1, { body: tell("dropped") })).text();
    await (await session.send(0, { body: tell("dropped") })).text();
    expect((await session.send(0, { body: request("logging/setLevel", { level: "info" }) })).status).toBe(200);
    await (await session.send(1, { body: tell("after") })).text();
    expect((await texts(await listen(session, 2), 2)).texts).toEqual(["before", "after"]);
  });
});

test("a change is written once, however many sessions hear it", async () => {
  const stores = memoryStores();
  let writes = 0;
  const events = new Proxy(stores.events, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        if (name !== "read") writes++;
        return Reflect.apply(member, target, args);
      };
    },
  });
  const nodes = new Nodes(makeServer, { stores: { ...stores, events } });
  const sessions = await Promise.all(Array.from({ length: 30 }, (_, index) => nodes.open("2025-11-25", index % 3)));
  const streams = await Promise.all(sessions.map((session, index) => listen(session, (index + 1) % 3)));
  writes = 0;
  nodes.nodes[0]!.server.tool("new", {}, () => "new");
  for (const stream of streams) expect((await texts(stream, 1)).texts).toEqual(["notifications/tools/list_changed"]);
  expect(writes).toBe(1);
});

test("a node that starts after its store lost everything has another number: ids of its requests do not recur", async () => {
  const clock = new VirtualClock();
  const asked = async (): Promise<number> => {
    const nodes = new Nodes(makeServer, { stores: memoryStores({ clock }), clock }, 1);
    const session = await nodes.open("2025-11-25", 0, { roots: {} });
    const stream = await listen(session, 0);
    const call = session.send(0, { body: request("tools/call", { name: "roots", arguments: {} }) });
    const { id } = (await stream.next())!.message;
    await session.send(0, { body: { jsonrpc: "2.0", id: id!, result: { roots: [] } } as JsonObject });
    await (await call).text();
    return id as number;
  };
  const before = await asked();
  await clock.advance(1_000);
  expect(await asked()).toBeGreaterThan(before);
});
