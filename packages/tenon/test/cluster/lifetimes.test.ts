/**
 * How long what nodes share is kept, and how many events there may be: lifetimes from the options, and more than one page of
 * everything.
 */
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { Nodes, SHARED, type RawEvent } from "./nodes.ts";

const REVISION = "2025-11-25";
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

function makeServer(): McpServer {
  const server = new McpServer(
    { name: "s", version: "1" },
    { ...SHARED, logging: true, capabilities: { resources: { listChanged: true } } },
  );
  server.tool(
    "count",
    { input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const },
    async ({ n }, ctx) => {
      for (let i = 1; i <= n; i++) await ctx.progress(i);
      return "done";
    },
  );
  server.tool(
    "tell",
    { input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const },
    async ({ n }, ctx) => {
      for (let i = 1; i <= n; i++) await ctx.session.standalone.sendLogMessage({ level: "info", data: i });
      return "done";
    },
  );
  return server;
}

const call = (name: string, n: number): JsonObject => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: { n }, _meta: { progressToken: "p" } },
});

interface Asked {
  readonly what: string;
  readonly args: readonly unknown[];
}

/** Stores that keep what they were asked. */
function recording(stores: SharedStores): { stores: SharedStores; asked: Asked[] } {
  const asked: Asked[] = [];
  const record = <Store extends object>(part: string, store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          asked.push({ what: `${part}.${String(name)}`, args });
          return Reflect.apply(member, target, args);
        };
      },
    });
  const { keyed, events, bus } = stores;
  return { asked, stores: { keyed: record("keyed", keyed), events: record("events", events), bus } };
}

/** The lifetimes in the calls of one kind that concern `key`. */
const lifetimes = (asked: readonly Asked[], what: string, key: string): unknown[] =>
  asked
    .filter((one) => one.what === what && JSON.stringify(one.args[0]).includes(key))
    .map(({ args }) =>
      args.map((arg) => (typeof arg === "number" ? arg : (arg as { ms?: number } | undefined)?.ms)).find(Number.isFinite),
    );

describe("how long the stores keep", () => {
  async function used(sessions: { idle?: number; age?: number }): Promise<{ asked: Asked[]; id: string }> {
    const clock = new VirtualClock();
    const { stores, asked } = recording(memoryStores({ clock }));
    const nodes = new Nodes(makeServer, { stores, clock, sessions, streams: { after: Infinity } }, 2);
    const session = await nodes.open(REVISION);
    await (await session.send(1, { body: call("count", 1) })).text();
    await (await session.send(1, { body: call("tell", 1) })).text();
    nodes.nodes[0]!.server.listChanged("tools");
    await clock.advance(0);
    expect((await session.send(1, { method: "DELETE" })).status).toBe(204);
    await clock.advance(SECOND);
    return { asked, id: session.id };
  }

  test("a session: a minute until it is used, then `idle` and up to a tenth more, and its streams as long at least", async () => {
    const { asked, id } = await used({ idle: HOUR });
    expect(lifetimes(asked, "keyed.swap", `session ${id}`)[0]).toBe(MINUTE);
    expect(lifetimes(asked, "keyed.join", "sessions")[0]).toBe(MINUTE);
    for (const what of ["keyed.renew", "keyed.join"]) {
      const [last] = lifetimes(asked, what, what === "keyed.join" ? "sessions" : id).slice(-1) as number[];
      expect(last).toBeGreaterThanOrEqual(HOUR);
      expect(last).toBeLessThanOrEqual(1.1 * HOUR);
    }
    for (const what of ["events.open", "events.append", "events.add"]) {
      const kept = lifetimes(asked, what, id);
      expect(kept.length).toBeGreaterThan(0);
      expect(new Set(kept)).toEqual(new Set([1.6 * HOUR]));
    }
  });

  test("changes for a week; what was ended refuses writes for ten minutes", async () => {
    const { asked, id } = await used({});
    const changes = lifetimes(asked, "events.add", "changes");
    expect(changes.length).toBeGreaterThan(2); // the nodes join, and one change
    expect(new Set(changes)).toEqual(new Set([7 * DAY]));
    expect(lifetimes(asked, "events.drop", id)).toEqual([10 * MINUTE]);
  });

  test("a session without limits of time for 30 days, and one that is nearly too old for the rest of its age", async () => {
    const endless = await used({ idle: Infinity, age: Infinity });
    expect(new Set(lifetimes(endless.asked, "keyed.renew", endless.id))).toEqual(new Set([30 * DAY]));
    const old = await used({ idle: HOUR, age: 30 * MINUTE });
    expect(new Set(lifetimes(old.asked, "keyed.renew", old.id))).toEqual(new Set([30 * MINUTE]));
    expect(new Set(lifetimes(old.asked, "events.append", old.id))).toEqual(new Set([30 * MINUTE]));
  });

  test("a session that is used ends when it is as old as `age` allows, at every node", async () => {
    const clock = new VirtualClock();
    const stores = memoryStores({ clock });
    const nodes = new Nodes(makeServer, { stores, clock, sessions: { age: HOUR }, streams: { after: Infinity } }, 2);
    const session = await nodes.open(REVISION);
    const ping = { body: { jsonrpc: "2.0", id: 9, method: "ping" } };
    for (let minutes = 0; minutes < 60; minutes += 10) {
      expect((await session.send(minutes % 20 === 0 ? 0 : 1, ping)).status).toBe(200);
      await clock.advance(10 * MINUTE);
    }
    for (const node of [0, 1]) expect((await session.send(node, ping)).status).toBe(404);
  });
});

describe("more events than one page has", () => {
  const MANY = 600;
  const numbers = Array.from({ length: MANY }, (_, index) => index + 1);
  const paramOf = (name: string) => (event: RawEvent) => (event.message["params"] as JsonObject | undefined)?.[name];

  test("of a stream that is resumed: each arrives once, in order", async () => {
    const nodes = new Nodes(makeServer, { streams: { after: Infinity } }, 2);
    const session = await nodes.open(REVISION);
    const first = await session.send(0, { body: call("count", MANY) });
    const begin = await first.primed();
    await first.text();
    const events = await (await session.send(1, { method: "GET", headers: { "last-event-id": begin } })).rest();
    expect(events.map(paramOf("progress"))).toEqual([...numbers, undefined]);
    expect(events.at(-1)!.message).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
  });

  test("of messages that belong to no request, and of changes: none is missing, none is new twice", async () => {
    const nodes = new Nodes(makeServer, { streams: { after: Infinity } }, 2);
    const session = await nodes.open(REVISION);
    await (await session.send(0, { body: call("tell", MANY) })).text();
    for (let time = 0; time < MANY; time++) {
      nodes.nodes[0]!.server.listChanged("resources");
      await Promise.resolve();
    }
    const stream = await session.send(1, { method: "GET" });
    onTestFinished(() => stream.drop());
    const told: unknown[] = [];
    while (told.length < MANY) {
      const event = (await stream.next())!;
      if (event.message["method"] === "notifications/message") told.push(paramOf("data")(event));
    }
    expect(told).toEqual(numbers);
    await (await session.send(1, { body: call("tell", 1) })).text();
    for (;;) {
      const event = (await stream.next())!;
      if (event.message["method"] !== "notifications/message") continue;
      expect(paramOf("data")(event)).toBe(1);
      return;
    }
  });
});
