/**
 * What lies between nodes is not to be trusted: a bus that loses and repeats messages, clocks that differ, ids that a client has
 * chosen.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import type { Clock, JsonObject } from "tenon";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { Nodes, SHARED, type RawResponse } from "./nodes.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

const REVISION = "2025-11-25";

function makeServer(): McpServer {
  const server = testServer({ ...SHARED, logging: true });
  server.tool("tell", {}, async (_input, ctx) => {
    await ctx.session.standalone.sendLogMessage({ level: "info", data: "told" });
    return "done";
  });
  server.tool("roots", {}, async (_input, ctx) => String((await ctx.session.listRoots()).roots.length));
  return server;
}

let ids = 1;
const call = (name: string): JsonObject => ({ jsonrpc: "2.0", id: ++ids, method: "tools/call", params: { name, arguments: {} } });

/** Lets the time of a clock pass until the test has finished. */
function letTimePass(clock: VirtualClock): void {
  const ticking = setInterval(() => void clock.advance(100), 5);
  onTestFinished(() => clearInterval(ticking));
}

describe("a bus that loses messages and repeats others", () => {
  /** Loses every hint of streams and changes, and the first attempt of each message to a node; sends all others twice. */
  function unreliable({ bus, ...stores }: SharedStores): SharedStores {
    const attempts = new Set<string>();
    const publish = async (topic: string, message: string): Promise<void> => {
      const isHint = topic === "changes" || message === "message";
      const isFirst = topic.startsWith("n.") && !attempts.has(message);
      attempts.add(message);
      if (isHint || isFirst) return;
      for (let copy = 0; copy < 2; copy++) await bus.publish(topic, message);
    };
    const { maxMessage } = bus;
    return {
      ...stores,
      bus: {
        maxMessage,
        publish,
        subscribe: (topic, listener) => bus.subscribe(topic, listener),
        onGap: (listener) => bus.onGap(listener),
      },
    };
  }

  async function start(): Promise<{ nodes: Nodes; session: Awaited<ReturnType<Nodes["open"]>> }> {
    const clock = new VirtualClock();
    const stores = unreliable(memoryStores({ clock }));
    const nodes = new Nodes(makeServer, { stores, clock, streams: { after: Infinity } });
    letTimePass(clock);
    return { nodes, session: await nodes.open(REVISION, 0, { roots: {} }) };
  }

  test("messages and changes still arrive, once and in order [X5]", async () => {
    const { nodes, session } = await start();
    const stream = await session.send(2, { method: "GET" });
    onTestFinished(() => stream.drop());
    await stream.primed();
    await (await session.send(1, { body: call("tell") })).text();
    expect((await stream.next())!.message["method"]).toBe("notifications/message");
    nodes.nodes[1]!.server.listChanged("tools");
    expect((await stream.next())!.message["method"]).toBe("notifications/tools/list_changed");
    await (await session.send(0, { body: call("tell") })).text();
    expect((await stream.next())!.message["method"]).toBe("notifications/message");
  });

  test("a response at another node settles its question once [X5]", async () => {
    const { session } = await start();
    const stream = await session.send(1, { body: call("roots") });
    const asked = (await stream.next())!.message;
    const response = { jsonrpc: "2.0", id: asked["id"], result: { roots: [{ uri: "file:///a" }] } };
    expect((await session.send(2, { body: response })).status).toBe(202);
    expect((await stream.rest()).at(-1)!.message).toMatchObject({ result: { content: [{ text: "1" }] } });
  });
});

test("what a client subscribes to while the bus is lost reaches the node of its GET, with later changes [X5]", async () => {
  const { bus, ...stores } = memoryStores();
  const gapListeners = new Set<() => void>();
  const deaf: SharedStores["bus"] = {
    maxMessage: bus.maxMessage,
    publish: (topic, message) => (message.includes('"kind":"changed"') ? undefined : bus.publish(topic, message)),
    subscribe: (topic, listener) => bus.subscribe(topic, listener),
    onGap: (listener) => {
      gapListeners.add(listener);
      return () => gapListeners.delete(listener);
    },
  };
  const watched = (): McpServer => {
    const server = makeServer();
    server.resource("place://oslo", {}, () => "rain");
    return server;
  };
  const nodes = new Nodes(watched, { stores: { ...stores, bus: deaf }, streams: { after: Infinity } });
  const session = await nodes.open(REVISION);
  const stream = await session.send(2, { method: "GET" });
  onTestFinished(() => stream.drop());
  await stream.primed();
  const subscribed = await session.send(1, {
    body: { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "place://oslo" } },
  });
  expect(await subscribed.message()).toMatchObject({ result: {} });
  const updated = { method: "notifications/resources/updated", params: { uri: "place://oslo" } };
  const next = async (): Promise<JsonObject> => {
    for (;;) {
      const { message } = (await stream.next())!;
      if (message["method"] === updated.method) return message;
    }
  };
  nodes.nodes[0]!.server.resourceUpdated("place://oslo");
  nodes.nodes[0]!.server.listChanged("tools"); // after it, and everyone hears of it
  expect((await stream.next())!.message).toMatchObject({ method: "notifications/tools/list_changed" });
  for (const listener of gapListeners) listener();
  expect(await next()).toMatchObject(updated);
  nodes.nodes[1]!.server.resourceUpdated("place://oslo");
  expect(await next()).toMatchObject(updated);
  await session.send(0, { method: "DELETE" });
  for (const listener of gapListeners) listener();
  await stream.rest();
});

test("nodes whose clocks differ by minutes find each other's sessions, and take no stream of a living node [X8]", async () => {
  const clock = new VirtualClock();
  const stores = memoryStores({ clock });
  const [early, exact, late] = [-300_000, 0, 300_000].map(
    (offset) => new Nodes(makeServer, { stores, clock: shifted(clock, offset), streams: { after: Infinity } }, 1),
  ) as [Nodes, Nodes, Nodes];
  const session = await exact.open(REVISION, 0, { roots: {} });
  const headers = { "mcp-session-id": session.id, "mcp-protocol-version": REVISION };
  const stream = await early.send(0, { headers, body: call("roots") });
  const asked = (await stream.next())!;
  const resumed: RawResponse = await late.send(0, { method: "GET", headers: { ...headers, "last-event-id": asked.id! } });
  for (let passed = 0; passed < 20_000; passed += 100) await clock.advance(100); // many leases
  const response = { jsonrpc: "2.0", id: asked.message["id"], result: { roots: [] } };
  expect((await exact.send(0, { headers, body: response })).status).toBe(202);
  letTimePass(clock);
  expect((await resumed.rest()).map(({ message }) => message)).toMatchObject([{ result: { content: [{ text: "0" }] } }]);
});

function shifted(clock: VirtualClock, offset: number): Clock {
  return {
    now: () => clock.now() + offset,
    wallNow: () => clock.wallNow() + offset,
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
    clearTimer: (timer) => clock.clearTimer(timer),
  };
}

test("a session id that a client has made up never reaches a store [X10]", async () => {
  const stores = memoryStores();
  const asked: string[] = [];
  const keyed = new Proxy(stores.keyed, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      if (name !== "read") return (...args: unknown[]): unknown => Reflect.apply(member, target, args);
      return (key: string): unknown => {
        asked.push(key);
        return Reflect.apply(member, target, [key]);
      };
    },
  });
  const nodes = new Nodes(makeServer, { stores: { ...stores, keyed } });
  await nodes.open(REVISION);
  const hostile = ["*", "a:b", "../x", ">", "{tag}", "__proto__", "x".repeat(1_000), `${"a".repeat(21)}.`, "%00"];
  for (const id of hostile)
    expect((await nodes.send(1, { headers: { "mcp-session-id": id }, body: call("tell") })).status).toBe(404);
  expect(asked.filter((key) => hostile.some((id) => key.includes(id)))).toEqual([]);
});

test("a handler that asks after its session ended elsewhere hears so at once, also if the notice was lost [X5]", async () => {
  const { bus, ...stores } = memoryStores();
  const deaf: SharedStores["bus"] = {
    maxMessage: bus.maxMessage,
    publish: (topic, message) => (message.includes('"ended"') ? undefined : bus.publish(topic, message)),
    subscribe: (topic, listener) => bus.subscribe(topic, listener),
    onGap: (listener) => bus.onGap(listener),
  };
  const { opened: ended, open: goOn } = gate();
  let failure: unknown;
  const nodes = new Nodes(
    () => {
      const server = new McpServer({ name: "s", version: "1" }, SHARED);
      server.tool("late", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await ended;
        failure = await ctx.session.standalone.listRoots().catch((error: unknown) => error);
        return "done";
      });
      return server;
    },
    { stores: { ...stores, bus: deaf }, clock: new VirtualClock(), streams: { after: Infinity } },
    2,
  );
  const session = await nodes.open(REVISION, 0, { roots: {} });
  const stream = await session.send(0, {
    body: { ...call("late"), params: { name: "late", arguments: {}, _meta: { progressToken: 1 } } },
  });
  await stream.next();
  expect((await session.send(1, { method: "DELETE" })).status).toBe(204);
  goOn();
  await expect.poll(() => failure).toMatchObject({ code: -32000, message: "The session has ended" });
});
