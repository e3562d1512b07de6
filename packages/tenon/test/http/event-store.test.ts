// Stores that take their time or fail, and replays that are long: never a gap, never a repetition.
import { describe, expect, test } from "vitest";
import type { McpServer, EventLog, EventPage, SharedStores, StreamAppend, StreamName } from "tenon/server";
import { memoryStores } from "tenon/stores/memory";
import { SHARED } from "../cluster/nodes.ts";
import type { JsonObject } from "tenon";
import { EventReader } from "./event-reader.ts";
import { serve } from "./support.ts";
import { gate } from "../support/gate.ts";
import { testServer } from "../support/test-server.ts";

/** Keeps events like any other, but never at once. */
class SlowLog implements EventLog {
  readonly #log: EventLog = memoryStores().events;
  fail: "append" | "read" | undefined;
  appended = 0;

  open(...args: Parameters<EventLog["open"]>): ReturnType<EventLog["open"]> {
    return this.#log.open(...args);
  }

  async append(at: StreamName, append: StreamAppend): Promise<"kept" | "fenced" | "gone"> {
    // Later events are stored faster, so code that does not keep the order mixes them up.
    for (let i = 10 - Math.min(9, append.first); i > 0; i--) await new Promise((resolve) => setImmediate(resolve));
    if (this.fail === "append") throw new Error("no space");
    this.appended += append.data.length;
    return this.#log.append(at, append);
  }

  add(...args: Parameters<EventLog["add"]>): ReturnType<EventLog["add"]> {
    return this.#log.add(...args);
  }

  async read(...args: Parameters<EventLog["read"]>): Promise<EventPage | "unknown" | "evicted"> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.fail === "read") throw new Error("not reachable");
    return this.#log.read(...args);
  }

  adopt(...args: Parameters<EventLog["adopt"]>): ReturnType<EventLog["adopt"]> {
    return this.#log.adopt(...args);
  }

  drop(...args: Parameters<EventLog["drop"]>): ReturnType<EventLog["drop"]> {
    return this.#log.drop(...args);
  }
}

/** The option that makes an endpoint keep its events in a log of one's own. */
const keptIn = (events: EventLog): { stores: SharedStores } => ({ stores: { ...memoryStores(), events } });

function counting(): McpServer {
  const server = testServer(SHARED);
  server.tool(
    "count",
    { input: { type: "object", properties: { n: { type: "integer" }, size: { type: "integer" } }, required: ["n"] } as const },
    async ({ n, size }, ctx) => {
      for (let i = 1; i <= n; i++) void ctx.progress(i, n, "x".repeat(size ?? 0));
      await Promise.resolve();
      return "done";
    },
  );
  return server;
}

const call = (n: number, size = 0): JsonObject => ({
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "count", arguments: { n, size }, _meta: { progressToken: 1 } },
});
const progressOf = (data: string): unknown =>
  (JSON.parse(data) as { params?: { progress?: number } }).params?.progress ?? "answer";

describe("a store that takes its time [R-4]", () => {
  test("events are sent in order, each after it was kept", async () => {
    const store = new SlowLog();
    const http = await serve(counting(), { ...keptIn(store) });
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call(8) });
    await stream.next();
    for (let i = 1; i <= 8; i++) {
      expect(progressOf((await stream.next()).data)).toBe(i);
      expect(store.appended).toBeGreaterThanOrEqual(i);
    }
    expect((await stream.rest()).map((event) => progressOf(event.data))).toEqual(["answer"]);
  });

  test("a client that comes back meanwhile misses nothing [R-3]", async () => {
    const http = await serve(counting(), { ...keptIn(new SlowLog()) });
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call(8) });
    const { id } = await stream.next();
    stream.destroy();
    const again = await EventReader.open(http.port, { headers: { ...session.headers, "last-event-id": id! } });
    expect((await again.rest()).map((event) => progressOf(event.data))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, "answer"]);
  });
});

/** Takes nothing until the test lets it. */
class StuckLog extends SlowLog {
  waiting = 0;
  release!: () => void;
  readonly #released: Promise<void> = new Promise((resolve) => (this.release = resolve));

  override async append(at: StreamName, append: StreamAppend): Promise<"kept" | "fenced" | "gone"> {
    this.waiting += append.data.length;
    await this.#released;
    return super.append(at, append);
  }
}

test("what waits for a store is bounded: progress is dropped, the response arrives [fault H15 R8]", async () => {
  const store = new StuckLog();
  const errors: Error[] = [];
  const http = await serve(counting(), {
    ...keptIn(store),
    limits: { maxBuffered: 100_000 },
    onError: (error) => errors.push(error),
  });
  const session = await http.open("2025-11-25");
  const stream = await EventReader.open(http.port, { headers: session.headers, body: call(2_000, 1_000) });
  await stream.next();
  await expect.poll(() => store.waiting).toBeGreaterThan(40);
  expect(store.waiting).toBeLessThan(60);
  store.release();
  const told = (await stream.rest()).map((event) => progressOf(event.data));
  expect(told.slice(0, 40)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  expect(told).toContain("answer");
  expect(told.length).toBeLessThan(60);
  expect(errors.map((error) => error.message).join()).toContain("maxBuffered");
});

describe("a store that fails", () => {
  test("ends the stream instead of skipping an event, and reports it", async () => {
    const store = new SlowLog();
    store.fail = "append";
    const errors: Error[] = [];
    const http = await serve(counting(), { ...keptIn(store), onError: (error) => errors.push(error) });
    const session = await http.open("2025-11-25");
    const stream = await EventReader.open(http.port, { headers: session.headers, body: call(3) });
    await stream.next();
    expect(await stream.rest()).toEqual([]);
    expect(errors.map((error) => error.message)).toContain("no space");
    expect((await session.send({ jsonrpc: "2.0", id: 3, method: "ping" })).status).toBe(200);
  });

  test("to look into it is 503", async () => {
    const store = new SlowLog();
    store.fail = "read";
    const http = await serve(counting(), { ...keptIn(store) });
    const session = await http.open("2025-11-25");
    expect(
      (await http.raw({ method: "GET", headers: { ...session.headers, "last-event-id": `${"x".repeat(22)}.0` } })).status,
    ).toBe(503);
  });
});

test("a replay that is larger than what may wait for a client arrives whole [R-3]", async () => {
  const http = await serve(counting(), { limits: { maxBuffered: 10_000 } });
  const session = await http.open("2025-11-25");
  const stream = await EventReader.open(http.port, { headers: session.headers, body: call(50, 10_000) });
  const { id } = await stream.next();
  stream.destroy();
  await expect
    .poll(async () => {
      const again = await EventReader.open(http.port, { headers: { ...session.headers, "last-event-id": id! } });
      return (await again.rest()).map((event) => progressOf(event.data));
    })
    .toEqual([...Array.from({ length: 50 }, (_, i) => i + 1), "answer"]);
});

test("a GET stream that is opened again continues after the last event, and so does its first id [R-6 E2.3]", async () => {
  const server = counting();
  const http = await serve(server);
  const session = await http.open("2025-11-25");
  const first = await EventReader.open(http.port, { headers: session.headers });
  await first.next();
  server.tool("a", {}, () => "");
  await first.next();
  const second = await EventReader.open(http.port, { headers: session.headers });
  const { id, data } = await second.next();
  expect([data, id]).toEqual(["", expect.stringMatching(/\.1$/)]);
  second.destroy();
  const third = await EventReader.open(http.port, { headers: { ...session.headers, "last-event-id": id! } });
  server.prompt("p", {}, () => "");
  expect(JSON.parse((await third.next()).data)).toMatchObject({ method: "notifications/prompts/list_changed" });
});

test("a GET stream that replaces an open one gets what is sent from then on, and the one before ends [R-6]", async () => {
  const server = counting();
  const http = await serve(server);
  const session = await http.open("2025-11-25");
  const first = await EventReader.open(http.port, { headers: session.headers });
  await first.next();
  const second = await EventReader.open(http.port, { headers: session.headers });
  await second.next();
  expect(await first.rest()).toEqual([]);
  server.tool("a", {}, () => "");
  expect(JSON.parse((await second.next()).data)).toMatchObject({ method: "notifications/tools/list_changed" });
});

test("what waits for a store that takes nothing is bounded: the stream is cut, the error reported [R8 fault H9]", async () => {
  const server = testServer(SHARED);
  const { opened, open } = gate();
  server.tool("talks", {}, async (_input, ctx) => {
    for (let i = 0; i < 30; i++) void ctx.notify("notifications/resources/updated", { uri: `x:${"x".repeat(1_000)}` });
    await opened;
    return "done";
  });
  const store = new StuckLog();
  const errors: Error[] = [];
  const http = await serve(server, {
    ...keptIn(store),
    limits: { maxBuffered: 10_000 },
    onError: (error) => errors.push(error),
  });
  const session = await http.open("2025-11-25");
  const answer = session.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "talks" } });
  await expect(answer).rejects.toThrow(/aborted|hang up|ECONNRESET/);
  expect(errors).toMatchObject([{ data: { limit: "limits.maxBuffered", max: 10_000 } }]);
  open();
});
