/** The streams of an event log in memory, by session, with the limits of all together. */
import type { Clock } from "../../base/clock.ts";
import type { StreamName } from "../../storage/event-log.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { MemoryStream } from "./memory-stream.ts";

/** Streams, and sessions that were dropped, that are kept at once. */
const MAX_STREAMS = 100_000;
/** Characters of all events. */
const MAX_SIZE = 64 * 2 ** 20;
/** Milliseconds between two searches for what has expired. */
const SWEEP_INTERVAL = 15_000;

export class StreamTable {
  readonly #clock: Clock;
  readonly #sessions = new Map<string, Map<string, MemoryStream>>();
  /** Sessions that were dropped, with the time until which their writes are refused. */
  readonly #dropped = new Map<string, number>();
  #streams = 0;
  #size = 0;
  #sweptAt = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find({ session, stream }: StreamName): MemoryStream | undefined {
    const found = this.#sessions.get(session)?.get(stream);
    if (found === undefined || found.until > this.#clock.now()) return found;
    this.#remove(session, stream, found);
    return undefined;
  }

  /** @throws LimitExceededError if there are too many streams */
  add({ session, stream }: StreamName, made: MemoryStream): void {
    if (this.#streams >= MAX_STREAMS || this.#clock.now() - this.#sweptAt > SWEEP_INTERVAL) this.#sweep();
    if (this.#streams >= MAX_STREAMS)
      throw new LimitExceededError("memoryStores().events", MAX_STREAMS, undefined, ErrorCode.InternalError);
    const streams = this.#sessions.get(session) ?? new Map<string, MemoryStream>();
    streams.set(stream, made);
    this.#sessions.set(session, streams);
    this.#streams++;
  }

  grow(stream: MemoryStream, data: readonly string[]): void {
    const before = stream.size;
    for (const event of data) stream.push(event);
    this.#size += stream.size - before;
    if (this.#size > MAX_SIZE) this.#sweep();
    while (this.#size > MAX_SIZE && stream.events.length > 0) {
      this.#size -= stream.events[0]!.length;
      stream.evict();
    }
  }

  isDropped(session: string): boolean {
    return (this.#dropped.get(session) ?? -Infinity) > this.#clock.now();
  }

  drop(session: string, ms: number): void {
    for (const [name, stream] of this.#sessions.get(session) ?? []) this.#remove(session, name, stream);
    this.#dropped.delete(session);
    this.#dropped.set(session, this.#clock.now() + ms);
    if (this.#dropped.size <= MAX_STREAMS) return;
    this.#sweep();
    if (this.#dropped.size > MAX_STREAMS) this.#dropped.delete(this.#dropped.keys().next().value!); // the oldest
  }

  #sweep(): void {
    const now = (this.#sweptAt = this.#clock.now());
    for (const [session, streams] of this.#sessions) {
      for (const [name, stream] of streams) if (stream.until <= now) this.#remove(session, name, stream);
    }
    for (const [session, until] of this.#dropped) if (until <= now) this.#dropped.delete(session);
  }

  #remove(session: string, name: string, stream: MemoryStream): void {
    const streams = this.#sessions.get(session);
    if (streams?.delete(name) !== true) return;
    if (streams.size === 0) this.#sessions.delete(session);
    this.#streams--;
    this.#size -= stream.size;
  }
}
