// The event log in memory: what it keeps, and what it evicts first.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../test/support/virtual-clock.ts";
import type { EventPage, StoredEvent, StreamAppend, StreamName } from "../event-log.ts";
import { MemoryEventLog } from "./event-log.ts";
import { EVENT_COST } from "./memory-stream.ts";
import type { StreamLimits } from "./stream-table.ts";

const FIVE_MINUTES = 5 * 60_000;

/** A log with one writer, whose streams live for an hour, and for five minutes after their end. */
class WrittenLog {
  readonly clock = new VirtualClock();
  readonly log: MemoryEventLog;

  constructor(limits: Partial<StreamLimits> = {}) {
    this.log = new MemoryEventLog(this.clock, limits);
  }

  get size(): number {
    return this.log.size;
  }

  append(session: string, stream: string, { number, data }: StoredEvent): void {
    const at = { session, stream };
    if (number === 1) this.log.open(at, { writer: "w", ms: 3_600_000 });
    this.#write(at, { writer: "w", first: number, data: [data], ms: 3_600_000 });
  }

  end(session: string, stream: string): void {
    const at = { session, stream };
    const { last } = this.log.read(at, 0, 0) as EventPage;
    this.#write(at, { writer: "w", first: last + 1, data: [], ends: true, ms: FIVE_MINUTES });
  }

  #write(at: StreamName, append: StreamAppend): void {
    const outcome = this.log.append(at, append);
    if (outcome !== "kept") throw new Error(`The log says: ${outcome}`);
  }

  after(session: string, stream: string, number: number): readonly StoredEvent[] | "unknown" | "evicted" {
    const page = this.log.read({ session, stream }, number, 1_000);
    return typeof page === "string" ? page : page.events;
  }

  drop(session: string): void {
    this.log.drop(session, 1_000);
  }
}

const open = (limits: Partial<StreamLimits> = {}): { store: WrittenLog; clock: VirtualClock } => {
  const store = new WrittenLog(limits);
  return { store, clock: store.clock };
};
const event = (number: number, data = `e${number}`): StoredEvent => ({ number, data });
const numbers = (replay: ReturnType<WrittenLog["after"]>): unknown =>
  typeof replay === "string" ? replay : replay.map((found) => found.number);

test("what is replayed is what came after, or is said to be gone: never a gap [R-3]", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 70 }),
      (maxEvents, count, after) => {
        const { store } = open({ maxEvents });
        for (let i = 1; i <= count; i++) store.append("s", "t", event(i));
        const expected =
          count === 0 || after > count
            ? "unknown"
            : after < count - maxEvents
              ? "evicted"
              : Array.from({ length: count - after }, (_, i) => after + 1 + i);
        expect(numbers(store.after("s", "t", after))).toEqual(expected);
      },
    ),
  );
});

test("a stream of the same name in another session is another one, right after an event of the first [R-2]", () => {
  const log = new WrittenLog();
  log.append("one", "s", { number: 1, data: "a" });
  expect(log.after("two", "s", 0)).toBe("unknown");
  log.append("two", "s", { number: 1, data: "b" });
  expect(log.after("one", "s", 0)).toEqual([{ number: 1, data: "a" }]);
});

test("streams and sessions are never mixed up [R-2]", () => {
  const { store } = open();
  store.append("a", "x", event(1));
  store.append("a", "y", event(1, "other"));
  expect(store.after("b", "x", 0)).toBe("unknown");
  expect(store.after("a", "x", 0)).toEqual([event(1)]);
});

describe("bounds", () => {
  test("a stream is bounded by size too", () => {
    const { store } = open({ maxStreamSize: 10 });
    for (let i = 1; i <= 4; i++) store.append("s", "t", event(i, "12345"));
    expect(numbers(store.after("s", "t", 2))).toEqual([3, 4]);
    expect(store.after("s", "t", 1)).toBe("evicted");
    expect(store.size).toBe(10 + 2 * EVENT_COST);
  });

  test("what was pushed out is not held, however few events there are [rule R5]", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const megabytes = (): number => (collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20);
    const { store } = open({ maxStreamSize: 2 * 2 ** 20 });
    const before = megabytes();
    for (let i = 1; i <= 100; i++) store.append("s", "t", event(i, Buffer.alloc(2 ** 19, i).toString("latin1")));
    expect(megabytes() - before).toBeLessThan(10);
    expect(numbers(store.after("s", "t", 96))).toEqual([97, 98, 99, 100]);
  });

  test("in total, streams that have ended go first", () => {
    const { store } = open({ maxSize: 2 * (10 + EVENT_COST) });
    store.append("s", "ended", event(1, "x".repeat(10)));
    store.end("s", "ended");
    store.append("s", "open", event(1, "x".repeat(10)));
    store.append("s", "open", event(2, "x".repeat(10)));
    expect(store.after("s", "ended", 0)).toBe("unknown");
    expect(numbers(store.after("s", "open", 0))).toEqual([1, 2]);
    store.append("s", "open", event(3, "x".repeat(10)));
    expect(store.after("s", "open", 0)).toBe("evicted");
    expect(store.size).toBe(2 * (10 + EVENT_COST));
  });

  test("in number, streams that have ended go first, and a stream that has not is never evicted for another", () => {
    const { store } = open({ maxStreams: 2 });
    for (const stream of ["ended", "later"]) store.append("s", stream, event(1));
    store.end("s", "later");
    store.end("s", "ended");
    store.append("s", "third", event(1));
    expect([store.after("s", "later", 0), numbers(store.after("s", "ended", 0))]).toEqual(["unknown", [1]]);
    store.append("s", "fourth", event(1));
    expect(() => store.append("s", "fifth", event(1))).toThrow("memoryStores().events");
    expect(numbers(store.after("s", "third", 0))).toEqual([1]);
  });

  test("five minutes after its end a stream is forgotten", async () => {
    const { store, clock } = open();
    store.append("s", "t", event(1));
    store.end("s", "t");
    await clock.advance(4 * 60_000);
    expect(numbers(store.after("s", "t", 0))).toEqual([1]);
    await clock.advance(61_000);
    expect(store.after("s", "t", 0)).toBe("unknown");
    expect(store.size).toBe(0);
  });

  test("streams that have ended expire even if no event or request follows [rule R5]", async () => {
    const { store, clock } = open();
    store.append("s", "first", event(1));
    store.end("s", "first");
    await clock.advance(60_000);
    store.append("s", "second", event(1));
    store.end("s", "second");
    await clock.advance(4 * 60_000);
    store.log.expire();
    expect(store.size).toBe(2 + EVENT_COST);
    await clock.advance(60_000);
    store.log.expire();
    expect(store.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("a session that is over takes its streams along", () => {
    const { store } = open();
    store.append("s", "t", event(1));
    store.drop("s");
    expect([store.after("s", "t", 0), store.size]).toEqual(["unknown", 0]);
  });
});

describe("the next event of a process that is the only writer", () => {
  test("is kept as an append is, without a look at the clock", () => {
    let looks = 0;
    const clock = new VirtualClock();
    const counting = {
      ...clock,
      now: () => (looks++, clock.now()),
      setTimer: clock.setTimer.bind(clock),
      clearTimer: clock.clearTimer.bind(clock),
    };
    const log = new MemoryEventLog(counting, { maxEvents: 2 });
    const at = { session: "s", stream: "a" };
    log.open(at, { writer: "w", ms: Number.MAX_SAFE_INTEGER });
    const before = looks;
    expect(["e1", "e2", "e3"].map((data) => log.appendNext(at, "w", data))).toEqual(["kept", "kept", "kept"]);
    expect(looks).toBe(before);
    expect(log.read(at, 1, 10)).toEqual({ events: [event(2), event(3)], last: 3, ended: false, writer: "w" });
    expect(log.size).toBe(2 * (2 + EVENT_COST));
  });

  test("is refused like an append: another writer, a stream that has ended or was dropped, a text that is too long", () => {
    const { log } = new WrittenLog();
    const at = { session: "s", stream: "a" };
    expect(log.appendNext(at, "w", "e1")).toBe("gone");
    log.open(at, { writer: "w", ms: 1_000 });
    expect(log.appendNext(at, "v", "e1")).toBe("fenced");
    expect(() => log.appendNext(at, "w", " ".repeat(17 * 2 ** 20 + 1))).toThrow("EventLog.maxEvent");
    log.append(at, { writer: "w", first: 1, data: [], ends: true, ms: 1_000 });
    expect(log.appendNext(at, "w", "e1")).toBe("gone");
    log.open({ session: "s", stream: "b" }, { writer: "w", ms: 1_000 });
    log.drop("s", 1_000);
    expect(log.appendNext({ session: "s", stream: "b" }, "w", "e1")).toBe("gone");
    expect(log.size).toBe(0);
  });
});
