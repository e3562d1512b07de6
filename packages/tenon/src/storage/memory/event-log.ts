/**
 * An event log in the memory of one process: see `EventLog`. An endpoint without `stores` has one for its sessions, and so has
 * `memoryStores()`. No method returns a promise.
 */
import { type Clock, systemClock } from "../../base/clock.ts";
import type { StreamAddition, StreamAppend, EventLog, StreamOpening, EventPage, StreamName } from "../event-log.ts";
import { assertAddition, assertAppended, assertDropping, assertEventLength, assertOpening, assertStream, assertWriter } from "../limits.ts";
import { STREAM_LIMITS, StreamTable, type StreamLimits } from "./stream-table.ts";

export class MemoryEventLog implements EventLog {
  readonly #clock: Clock;
  readonly #streams: StreamTable;

  constructor(clock: Clock = systemClock, limits: Partial<StreamLimits> = {}) {
    this.#clock = clock;
    this.#streams = new StreamTable(clock, { ...STREAM_LIMITS, ...limits });
  }

  /** What all events count: their characters, and {@link EVENT_COST} for each. */
  get size(): number {
    return this.#streams.size;
  }

  /** Removes streams that have ended and expired. The log does so itself from time to time, but only while streams begin. */
  expire(): void {
    this.#streams.expire();
  }

  open(at: StreamName, opening: StreamOpening): "opened" | "fenced" | "gone" {
    assertOpening(at, opening);
    const { writer, note, ms } = opening;
    if (this.#streams.isDropped(at.session)) return "gone";
    const found = this.#streams.find(at);
    if (found === undefined) this.#streams.add(at, { writer, note, until: this.#clock.now() + ms });
    else if (found.writer !== writer) return "fenced";
    else if (found.ended) return "gone";
    else found.until = this.#clock.now() + ms;
    return "opened";
  }

  append(at: StreamName, append: StreamAppend): "kept" | "fenced" | "gone" {
    const now = this.#clock.now();
    const stream = this.#streams.find(at, now);
    if (stream === undefined) assertStream(at); // the names of one that is there were checked
    assertAppended(append);
    if (stream === undefined) return "gone";
    const { writer, first, data, ends = false, ms } = append;
    if (stream.writer !== writer) return "fenced";
    const repeated = stream.last + 1 - first;
    if (stream.ended) return repeated >= data.length ? "kept" : "gone";
    if (repeated < 0) throw new RangeError(`Event ${first} leaves a gap after event ${stream.last}`);
    this.#streams.grow(stream, repeated === 0 ? data : data.slice(repeated));
    stream.until = now + ms;
    if (ends) this.#streams.end(stream);
    return "kept";
  }

  /**
   * `append` of one text of `JSON.stringify`, which does not end its stream, by a process that gives its streams a lifetime without end.
   * So neither the clock nor the characters are read, which would be half of what an event costs.
   */
  appendNext(at: StreamName, writer: string, data: string): "kept" | "fenced" | "gone" {
    const stream = this.#streams.named(at);
    assertEventLength(data);
    if (stream === undefined || stream.ended) return "gone";
    if (stream.writer !== writer) return "fenced";
    this.#streams.push(stream, data);
    return "kept";
  }

  add(at: StreamName, addition: StreamAddition): number | "gone" {
    assertAddition(at, addition);
    const { key, data, ms } = addition;
    if (this.open(at, { ms }) !== "opened") return "gone";
    const stream = this.#streams.find(at)!; // it was opened
    const before = stream.addedBy(key);
    if (before !== undefined) return before;
    this.#streams.grow(stream, data);
    stream.remember(key);
    return stream.last;
  }

  read(at: StreamName, after: number, limit: number): EventPage | "unknown" | "evicted" {
    assertStream(at);
    const stream = this.#streams.find(at);
    if (stream === undefined || after > stream.last) return "unknown";
    if (after < stream.last - stream.kept) return "evicted";
    const { last, ended, writer, note } = stream;
    const events = stream.after(after, limit);
    return { events, last, ended, ...(writer !== undefined && { writer }), ...(note !== undefined && { note }) };
  }

  adopt(at: StreamName, from: string, to: string): boolean {
    assertStream(at);
    assertWriter(to);
    const stream = this.#streams.find(at);
    if (stream === undefined || stream.ended || stream.writer !== from) return false;
    stream.writer = to;
    return true;
  }

  drop(session: string, ms: number): void {
    assertDropping(session, ms);
    this.#streams.drop(session, ms);
  }
}
