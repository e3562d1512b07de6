import type { EventLog, StreamName } from "../storage/event-log.ts";
import { fails, same, until, type StoreCheck } from "./expectations.ts";

/** One requirement of an `EventLog`, as a check on an empty log. */
export type EventLogCheck = StoreCheck<[log: EventLog]>;

const ms = 600_000;
const SHORT = 50;
const at: StreamName = { session: "session", stream: "stream" };
const other: StreamName = { session: "session", stream: "other" };

/**
 * Checks of an `EventLog`, for any test runner:
 * `for (const { name, run } of eventLogChecks) test(name, async () => run(await createLog()))`.
 * Each needs an empty log. Streams that must expire do so after 50 milliseconds of the log's own clock.
 */
export const eventLogChecks: readonly EventLogCheck[] = [
  {
    name: "events are read in order, in pages, after any number",
    async run(log) {
      same(await log.read(at, 0, 10), "unknown", "a stream that was not opened");
      same(await log.open(at, { writer: "a", note: "a note", ms }), "opened", "to open it");
      same(await log.read(at, 0, 10), { events: [], last: 0, ended: false, writer: "a", note: "a note" }, "an empty stream");
      same(await log.append(at, { writer: "a", first: 1, data: texts(1, 3), ms }), "kept", "three events");
      same(await log.append(at, { writer: "a", first: 4, data: texts(4, 5), ms }), "kept", "two more");
      same(await numbers(log, at, 0, 10), [1, 2, 3, 4, 5], "all");
      same(await numbers(log, at, 1, 2), [2, 3], "a page");
      same(await numbers(log, at, 5, 10), [], "after the last");
      same(await log.read(at, 6, 10), "unknown", "after an event that never was");
      same(await log.read(other, 0, 10), "unknown", "another stream");
    },
  },
  {
    name: "a repeated write changes nothing",
    async run(log) {
      const opening = { writer: "a", ms };
      for (let i = 0; i < 2; i++) same(await log.open(at, opening), "opened", "to open it");
      for (let i = 0; i < 2; i++) same(await log.append(at, { writer: "a", first: 1, data: texts(1, 3), ms }), "kept", "events");
      same(await log.append(at, { writer: "a", first: 2, data: texts(2, 4), ms }), "kept", "events of which two are there");
      same(await numbers(log, at, 0, 10), [1, 2, 3, 4], "what is kept");
      for (let i = 0; i < 2; i++)
        same(await log.append(at, { writer: "a", first: 5, data: texts(5, 5), ends: true, ms }), "kept", "the end");
      for (let i = 0; i < 2; i++) same(await log.add(other, { key: "one", data: texts(1, 2), ms }), 2, "an addition");
      same(await log.add(other, { key: "two", data: texts(3, 3), ms }), 3, "another addition");
      same((await log.add(other, { key: "one", data: texts(1, 2), ms })) !== 5, true, "whether the first is repeated");
      same(await numbers(log, other, 0, 10), [1, 2, 3], "what was added");
    },
  },
  {
    name: "the events of one writer leave no gap",
    async run(log) {
      await log.open(at, { writer: "a", ms });
      await log.append(at, { writer: "a", first: 1, data: texts(1, 2), ms });
      await fails(async () => log.append(at, { writer: "a", first: 4, data: texts(4, 4), ms }), "RangeError");
      same(await numbers(log, at, 0, 10), [1, 2], "what is kept");
    },
  },
  {
    name: "a writer that has lost the stream is refused",
    async run(log) {
      await log.open(at, { writer: "a", ms });
      await log.append(at, { writer: "a", first: 1, data: texts(1, 1), ms });
      same(await log.open(at, { writer: "b", ms }), "fenced", "to open the stream of another");
      same(await log.adopt(at, "x", "b"), false, "to adopt it from a writer that it never had");
      same(await log.adopt(at, "a", "b"), true, "to adopt it");
      same(await log.adopt(at, "a", "c"), false, "to adopt it once more");
      same(await log.append(at, { writer: "a", first: 2, data: texts(2, 2), ms }), "fenced", "an event of the writer before");
      same(await log.append(at, { writer: "a", first: 1, data: [], ends: true, ms }), "fenced", "the end by the writer before");
      same(await log.append(at, { writer: "b", first: 2, data: ["from b"], ends: true, ms }), "kept", "an event of the new writer");
      same((await page(log, at, 1, 5)).events, [{ number: 2, data: "from b" }], "what is kept");
      same(await log.adopt(at, "b", "c"), false, "to adopt a stream that has ended");
    },
  },
  {
    name: "of many who adopt a stream at once, one succeeds",
    async run(log) {
      await log.open(at, { writer: "w0", ms });
      for (let round = 1; round <= 4; round++) {
        const { writer } = await page(log, at, 0, 1);
        const names = Array.from({ length: 20 }, (_, index) => `w${round}-${index}`);
        const adopted = await Promise.all(names.map(async (name) => log.adopt(at, writer!, name)));
        same(adopted.filter((success) => success).length, 1, "how many did");
        same((await page(log, at, 0, 1)).writer, names[adopted.indexOf(true)], "the writer");
      }
    },
  },
  {
    name: "nothing follows the end of a stream",
    async run(log) {
      await log.open(at, { writer: "a", ms });
      same(await log.append(at, { writer: "a", first: 1, data: texts(1, 2), ends: true, ms }), "kept", "the last events");
      same((await page(log, at, 0, 10)).ended, true, "whether it has ended");
      same(await log.append(at, { writer: "a", first: 3, data: texts(3, 3), ms }), "gone", "one more event");
      same(await log.append(at, { writer: "a", first: 1, data: texts(1, 2), ends: true, ms }), "kept", "the last events again");
      same(await log.open(at, { writer: "a", ms }), "gone", "to open it again");
      same(await log.add(at, { key: "one", data: texts(3, 3), ms }), "gone", "an addition");
      same(await numbers(log, at, 0, 10), [1, 2], "what is kept");
    },
  },
  {
    name: "additions of many nodes at once get numbers without a gap",
    async run(log) {
      const adding = Array.from({ length: 40 }, async (_, index) =>
        log.add(at, { key: `k${index}`, data: [`${index} a`, `${index} b`], ms }),
      );
      const last = (await Promise.all(adding)) as number[];
      same(
        [...last].sort((a, b) => a - b),
        Array.from({ length: 40 }, (_, index) => 2 * (index + 1)),
        "their last numbers",
      );
      const { events } = await page(log, at, 0, 100);
      for (const [index, number] of last.entries()) {
        same([events[number - 2]!.data, events[number - 1]!.data], [`${index} a`, `${index} b`], `addition ${index}`);
      }
      same(await log.open(at, { writer: "a", ms }), "fenced", "to become the one writer of it");
    },
  },
  {
    name: "a session that was dropped takes its streams along, and refuses what comes late",
    async run(log) {
      const alone = { session: "another", stream: "stream" };
      for (const name of [at, other, alone]) await log.open(name, { writer: "a", ms });
      await log.drop("session", ms);
      for (let i = 0; i < 2; i++) await log.drop("session", ms);
      for (const name of [at, other]) {
        same(await log.read(name, 0, 10), "unknown", "to read");
        same(await log.append(name, { writer: "a", first: 1, data: texts(1, 1), ms }), "gone", "to append");
        same(await log.add(name, { key: "k", data: texts(1, 1), ms }), "gone", "to add");
        same(await log.open(name, { writer: "a", ms }), "gone", "to open");
        same(await log.adopt(name, "a", "b"), false, "to adopt");
      }
      same(await log.append(alone, { writer: "a", first: 1, data: texts(1, 1), ms }), "kept", "another session");
    },
  },
  {
    name: "a stream is kept for the time of its last write",
    async run(log) {
      await log.open(at, { writer: "a", ms });
      await log.append(at, { writer: "a", first: 1, data: texts(1, 1), ms });
      await log.open(other, { writer: "a", ms: SHORT });
      same(await log.append(at, { writer: "a", first: 2, data: [], ms }), "kept", "a write without events");
      await until(async () => (await log.read(other, 0, 1)) === "unknown", "the other one expires");
      same(await log.append(other, { writer: "a", first: 1, data: texts(1, 1), ms }), "gone", "a write to what has expired");
      same(await numbers(log, at, 0, 10), [1], "what is kept longer");
      await log.append(at, { writer: "a", first: 2, data: [], ms: SHORT });
      await until(async () => (await log.read(at, 0, 1)) === "unknown", "a shorter time counts too");
    },
  },
  {
    name: "a long stream evicts its oldest events, and says so",
    async run(log) {
      await log.open(at, { writer: "a", ms });
      for (let first = 1; first <= 1_100; first += 220) await log.append(at, { writer: "a", first, data: texts(first, first + 219), ms });
      same(await log.read(at, 99, 10), "evicted", "after an event whose follower is evicted");
      same(await numbers(log, at, 100, 3), [101, 102, 103], "the first that are kept");
      same(await numbers(log, at, 1_097, 10), [1_098, 1_099, 1_100], "the last");
      await log.open(other, { writer: "a", ms });
      const large = "x".repeat(3 * 2 ** 20);
      for (let first = 1; first <= 4; first++) await log.append(other, { writer: "a", first, data: [large], ms });
      same(await log.read(other, 1, 10), "evicted", "after an event, in a stream that is too large");
      same(await numbers(log, other, 2, 10), [3, 4], "the events that it has room for");
    },
  },
  {
    name: "any JSON text comes back as it was",
    async run(log) {
      const data = ['"\\u0000 \\ud800"', '{"a":"\u2028 😀 \\\\ \'"}', "x".repeat(2 * 2 ** 20), ""];
      await log.open(at, { writer: "a", note: "{\"b\":'😀'}", ms });
      same(await log.append(at, { writer: "a", first: 1, data, ms }), "kept", "the events");
      const { events, note } = await page(log, at, 0, 10);
      same(
        events.map((event) => event.data),
        data,
        "the events",
      );
      same(note, "{\"b\":'😀'}", "the note");
    },
  },
  {
    name: "names with other characters, too many events and wrong times are refused",
    async run(log) {
      for (const name of ["", "a b", "*", "a:b", "{x}", "x".repeat(65), "\u0000", "\ud800", "..", "ü"]) {
        await fails(async () => log.open({ session: name, stream: "s" }, { writer: "a", ms }), "TypeError");
        await fails(async () => log.read({ session: "s", stream: name }, 0, 1), "TypeError");
      }
      for (const name of ["__proto__", "constructor", "a-B_9"])
        same(await log.read({ session: name, stream: name }, 0, 1), "unknown", name);
      await log.open(at, { writer: "a", ms });
      await fails(async () => log.append(at, { writer: "a", first: 1, data: texts(1, 257), ms }), "LimitExceededError");
      await fails(async () => log.append(at, { writer: "a", first: 1, data: texts(1, 1), ms: 0 }), "RangeError");
      same(await numbers(log, at, 0, 10), [], "what is kept");
    },
  },
];

/** The data of events `first` to `last`. */
function texts(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `{"event":${first + index}}`);
}

async function page(
  log: EventLog,
  name: StreamName,
  after: number,
  limit: number,
): Promise<Exclude<Awaited<ReturnType<EventLog["read"]>>, string>> {
  const found = await log.read(name, after, limit);
  if (typeof found === "string") throw new Error(`expected a page after ${after}, got "${found}"`);
  return found;
}

async function numbers(log: EventLog, name: StreamName, after: number, limit: number): Promise<number[]> {
  return (await page(log, name, after, limit)).events.map(({ number }) => number);
}
