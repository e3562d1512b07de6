/** What nodes keep of sessions in the stores and in their memory: how often they ask, what they count, and what they refuse. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "tenon";
import { McpServer, type SharedStores } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { VirtualClock } from "tenon/testing";
import { initialize } from "../http/support.ts";
import { RecordingClock, turn } from "../support/virtual-clock.ts";
import { Nodes, SHARED } from "./nodes.ts";
import { gate } from "../support/gate.ts";

const REVISION = "2025-11-25";
const [SECOND, MINUTE] = [1_000, 60_000];
const PING = { body: { jsonrpc: "2.0", id: 9, method: "ping" } };
const call = (name: string): JsonObject => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name, arguments: {}, _meta: { progressToken: "p" } },
});

const empty = (): McpServer => new McpServer({ name: "s", version: "1" }, SHARED);

interface Asked {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A keyed store that remembers what it was asked. */
function recording(keyed: SharedStores["keyed"], asked: Asked[]): SharedStores["keyed"] {
  return new Proxy(keyed, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        asked.push({ name: String(name), args });
        return Reflect.apply(member, target, args);
      };
    },
  });
}

/** A bus that loses the notices of one kind. */
const losing = (bus: SharedStores["bus"], kind: string): SharedStores["bus"] => ({
  maxMessage: bus.maxMessage,
  publish: (topic, message) => (message.includes(`"${kind}"`) ? undefined : bus.publish(topic, message)),
  subscribe: (topic, listener) => bus.subscribe(topic, listener),
  onGap: (listener) => bus.onGap(listener),
});

describe("a session that another node ended", () => {
  test("is unknown within a second, also if the notice of its end was lost [X5]", async () => {
    const clock = new VirtualClock();
    const { bus, ...stores } = memoryStores({ clock });
    const nodes = new Nodes(empty, { stores: { ...stores, bus: losing(bus, "ended") }, clock }, 2);
    const session = await nodes.open(REVISION);
    expect((await session.send(0, PING)).status).toBe(200);
    expect((await session.send(1, { method: "DELETE" })).status).toBe(204);
    await clock.advance(SECOND);
    expect((await session.send(0, PING)).status).toBe(404);
  });
});

describe("what the store is asked", () => {
  test("a session that is used all the time is renewed once a minute", async () => {
    const clock = new VirtualClock();
    const stores = memoryStores({ clock });
    const asked: Asked[] = [];
    const nodes = new Nodes(empty, { stores: { ...stores, keyed: recording(stores.keyed, asked) }, clock }, 1);
    const session = await nodes.open(REVISION);
    const renewals = (): number =>
      asked.filter(({ name, args }) => name === "renew" && String(args[0]).includes(session.id)).length;
    const before = renewals();
    for (let seconds = 0; seconds < 600; seconds += 5) {
      expect((await session.send(0, PING)).status).toBe(200);
      await clock.advance(5 * SECOND);
    }
    expect(renewals() - before).toBeGreaterThanOrEqual(8);
    expect(renewals() - before).toBeLessThanOrEqual(11);
  });

  test("each renewal counts the session within the limit of all, and within that of its client [rule R5]", async () => {
    const stores = memoryStores();
    const asked: Asked[] = [];
    const keyed = recording(stores.keyed, asked);
    const nodes = new Nodes(
      empty,
      { stores: { ...stores, keyed }, sessions: { max: 7, maxPerPrincipal: 3 }, clientAddress: "x-client" },
      1,
    );
    const opened = await nodes.send(0, {
      headers: { "x-client": "ann" },
      body: initialize(REVISION),
    });
    const headers = { "x-client": "ann", "mcp-session-id": opened.header("mcp-session-id"), "mcp-protocol-version": REVISION };
    asked.length = 0;
    expect((await nodes.send(0, { ...PING, headers })).status).toBe(200);
    await expect.poll(() => asked.filter(({ name }) => name === "join").length).toBe(2);
    const joins = asked.filter(({ name }) => name === "join").map(({ args }) => [args[0], (args[2] as { max: number }).max]);
    expect(joins).toEqual([
      ["sessions", 7],
      [expect.stringMatching(/^sessions of /), 3],
    ]);
  });

  test("one session too many leaves only sets that it has joined [rule R5]", async () => {
    const stores = memoryStores();
    const asked: Asked[] = [];
    const nodes = new Nodes(empty, { stores: { ...stores, keyed: recording(stores.keyed, asked) }, sessions: { max: 1 } }, 1);
    await nodes.open(REVISION);
    expect((await nodes.send(0, { body: initialize(REVISION) })).status).toBe(503);
    expect(asked.filter(({ name }) => name === "leave")).toEqual([]);
  });

  test.each([{}, { clientParams: "text" }])("a record whose facts are %j is refused as damaged", async (facts) => {
    const stores = memoryStores();
    const nodes = new Nodes(empty, { stores }, 2);
    const session = await nodes.open(REVISION);
    const key = `session ${session.id}`;
    const kept = (await stores.keyed.read(key))!;
    const value = JSON.stringify({ ...(JSON.parse(kept.value) as JsonObject), facts: { version: REVISION, ...facts } });
    expect(await stores.keyed.swap(key, kept.version, { value, ms: MINUTE })).toBeDefined();
    const refused = await session.send(1, PING);
    expect([refused.status, (await refused.message())["error"]]).toMatchObject([503, { data: { reason: "storeDamaged" } }]);
  });

  test("a change that the store refuses is reported to the operator, and later changes are written", async () => {
    const { events, ...stores } = memoryStores();
    const errors: unknown[] = [];
    let refuse = false;
    let written = 0;
    const refusing = new Proxy(events, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]): unknown => {
          const isChange = name === "add" && (args[0] as { session: string }).session === "changes";
          if (isChange && refuse) throw new Error("The log takes no more");
          if (isChange) written++;
          return Reflect.apply(member, target, args);
        };
      },
    });
    const nodes = new Nodes(empty, { stores: { ...stores, events: refusing }, onError: (error) => void errors.push(error) }, 1);
    await nodes.open(REVISION);
    refuse = true;
    nodes.nodes[0]!.server.tool("first", {}, () => "");
    await expect.poll(() => errors).toMatchObject([{ message: "The log takes no more" }]);
    refuse = false;
    const before = written;
    nodes.nodes[0]!.server.tool("second", {}, () => "");
    await expect.poll(() => written).toBeGreaterThan(before);
    expect(errors).toHaveLength(1);
  });
});

describe("what a node keeps in its memory", () => {
  test("a session stays while a call runs, however long it sends nothing", async () => {
    const clock = new VirtualClock();
    const { opened: ended, open: end } = gate();
    const makeServer = (): McpServer => {
      const server = empty();
      server.tool("long", {}, async (_input, ctx) => {
        await ctx.progress(1);
        await ended;
        return "done";
      });
      return server;
    };
    const nodes = new Nodes(makeServer, { stores: memoryStores({ clock }), clock, streams: { after: Infinity } }, 1);
    const session = await nodes.open(REVISION);
    const stream = await session.send(0, { body: call("long") });
    await stream.next();
    await clock.advance(2 * MINUTE);
    end();
    expect(await stream.message()).toMatchObject({ id: 2, result: { content: [{ text: "done" }] } });
  });

  test("a client whose GET has ended opens another one at once: nothing waits for the one that is gone", async () => {
    const clock = new VirtualClock(); // stands still: what waits for a time never goes on
    const nodes = new Nodes(empty, { stores: memoryStores({ clock }), clock }, 2);
    const session = await nodes.open(REVISION);
    const first = await session.send(0, { method: "GET" });
    await first.primed();
    await first.drop();
    for (let turns = 0; turns < 20; turns++) await turn();
    const second = await session.send(1, { method: "GET" });
    onTestFinished(() => second.drop());
    expect(second.status).toBe(200);
  });

  test("a stream that is resumed elsewhere after a quiet time gets what follows an event without the long wait", async () => {
    const clock = new RecordingClock();
    const steps: (() => void)[] = [];
    const makeServer = (): McpServer => {
      const server = empty();
      server.tool("steps", {}, async (_input, ctx) => {
        for (let step = 1; step <= 3; step++) {
          await ctx.progress(step);
          await new Promise<void>((resolve) => steps.push(resolve));
        }
        return "done";
      });
      return server;
    };
    const nodes = new Nodes(makeServer, { stores: memoryStores({ clock }), clock, streams: { after: Infinity } }, 2);
    const session = await nodes.open(REVISION);
    const first = await session.send(0, { body: call("steps") });
    const { id } = (await first.next())!;
    const resumed = await session.send(1, { method: "GET", headers: { "last-event-id": id! } });
    await clock.advance(5 * SECOND);
    steps.shift()!();
    await clock.advance(SECOND / 2);
    expect((await resumed.next())!.message).toMatchObject({ params: { progress: 2 } });
    // After an event the waits grow from 20 ms again.
    clock.delays.length = 0;
    steps.shift()!();
    await clock.advance(SECOND / 2);
    expect((await resumed.next())!.message).toMatchObject({ params: { progress: 3 } });
    expect(clock.delays).toContain(20);
    steps.shift()!();
    await clock.advance(SECOND / 2);
    expect(await resumed.message()).toMatchObject({ result: {} });
  });
});
