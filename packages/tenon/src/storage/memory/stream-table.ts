/**
 * The streams of an event log in memory, by session, with the limits of all together.
 *
 * At a limit, streams that have ended are evicted first, the one that ended first before the others; then the oldest events of the stream
 * that grows. A client that asks for an evicted event gets an error, never a stream with a gap.
 */
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import type { Clock } from "../../base/clock.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { StreamName } from "../event-log.ts";
import { MAX_EVENTS, MAX_STREAM_SIZE } from "../limits.ts";
import { MemoryStream } from "./memory-stream.ts";

export interface StreamLimits {
  /** Streams, and sessions that were dropped, that are kept at once. Default 100 000. */
  readonly maxStreams: number;
  /** Characters of all events, and 256 for each. Default 64 Mi. */
  readonly maxSize: number;
  /** Events of one stream. Default 1 000. */
  readonly maxEvents: number;
  /** Characters of one stream. Default 8 Mi. The last event is kept however long it is. */
  readonly maxStreamSize: number;
}

export const STREAM_LIMITS: StreamLimits = {
  maxStreams: 100_000,
  maxSize: 64 * 2 ** 20,
  maxEvents: MAX_EVENTS,
  maxStreamSize: MAX_STREAM_SIZE,
};

/** Milliseconds between two searches for what has expired. */
const SWEEP_INTERVAL = 15_000;
/** The same while a limit is reached. Each search looks at all streams, so no event and no stream may cause one of its own. */
const SWEEP_INTERVAL_AT_LIMIT = 1_000;

/**
 * What is left of a limit after an eviction. The search for the oldest stream passes the places of all that were removed since the table
 * was packed, so one search evicts many.
 */
function withRoom(limit: number): number {
  return limit - Math.floor(limit / 64);
}

export class StreamTable {
  readonly #clock: Clock;
  readonly #limits: StreamLimits;
  readonly #sessions = new Map<string, Map<string, MemoryStream>>();
  /** Sessions that were dropped, with the time until which their writes are refused. */
  readonly #dropped: BoundedMap<string, number>;
  /** Streams that have ended, in the order in which they did. */
  readonly #ended = new Set<MemoryStream>();
  /** The stream of the last event, because the next event mostly belongs to it too. */
  #latest: MemoryStream | undefined;
  #streams = 0;
  #size = 0;
  #sweptAt = -Infinity;

  constructor(clock: Clock, limits: StreamLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#dropped = new BoundedMap(limits.maxStreams);
  }

  /** What all events count. */
  get size(): number {
    return this.#size;
  }

  find(at: StreamName, now: number = this.#clock.now()): MemoryStream | undefined {
    const found = this.named(at);
    if (found === undefined || found.until > now) return found;
    this.#remove(found);
    return undefined;
  }

  /** The stream, also if it has expired and was not removed yet. */
  named({ session, stream }: StreamName): MemoryStream | undefined {
    const latest = this.#latest;
    if (latest?.at.stream === stream && latest.at.session === session) return latest;
    return this.#sessions.get(session)?.get(stream);
  }

  /** @throws LimitExceededError if there are too many streams that have not ended */
  add(at: StreamName, begun: { writer: string | undefined; note: string | undefined; until: number }): void {
    const { maxStreams, maxEvents } = this.#limits;
    this.#sweep(this.#streams >= maxStreams ? SWEEP_INTERVAL_AT_LIMIT : SWEEP_INTERVAL);
    if (this.#streams >= maxStreams) this.#evictEnded(() => this.#streams < withRoom(maxStreams));
    if (this.#streams >= maxStreams) throw new LimitExceededError("memoryStores().events", maxStreams, undefined, ErrorCode.InternalError);
    const { session, stream } = at;
    let streams = this.#sessions.get(session);
    if (streams === undefined) this.#sessions.set(session, (streams = new Map()));
    streams.set(stream, new MemoryStream(at, maxEvents, begun));
    this.#streams++;
  }

  grow(stream: MemoryStream, data: readonly string[]): void {
    for (const event of data) this.push(stream, event);
  }

  push(stream: MemoryStream, event: string): void {
    const { maxStreamSize, maxSize } = this.#limits;
    this.#size += stream.push(event);
    while (stream.characters > maxStreamSize && stream.kept > 1) this.#size -= stream.evict();
    this.#latest = stream;
    if (this.#size > maxSize) this.#shrink(stream);
  }

  #shrink(current: MemoryStream): void {
    const { maxSize } = this.#limits;
    this.#sweep(SWEEP_INTERVAL_AT_LIMIT);
    if (this.#size > maxSize) this.#evictEnded(() => this.#size <= withRoom(maxSize));
    while (this.#size > maxSize && current.kept > 0) this.#size -= current.evict();
  }

  #evictEnded(isEnough: () => boolean): void {
    for (const stream of this.#ended) {
      if (isEnough()) return;
      this.#remove(stream);
    }
  }

  end(stream: MemoryStream): void {
    stream.ended = true;
    this.#ended.add(stream);
  }

  expire(): void {
    const now = this.#clock.now();
    for (const stream of this.#ended) {
      if (stream.until > now) return;
      this.#remove(stream);
    }
  }

  isDropped(session: string): boolean {
    return (this.#dropped.get(session) ?? -Infinity) > this.#clock.now();
  }

  drop(session: string, ms: number): void {
    for (const stream of this.#sessions.get(session)?.values() ?? []) this.#remove(stream);
    this.#dropped.set(session, this.#clock.now() + ms);
  }

  #sweep(interval: number): void {
    const now = this.#clock.now();
    if (now - this.#sweptAt < interval) return;
    this.#sweptAt = now;
    for (const streams of this.#sessions.values()) {
      for (const stream of streams.values()) if (stream.until <= now) this.#remove(stream);
    }
    for (const [session, until] of this.#dropped) if (until <= now) this.#dropped.delete(session);
  }

  #remove(found: MemoryStream): void {
    const { session, stream } = found.at;
    const streams = this.#sessions.get(session);
    if (streams?.get(stream) !== found) return;
    if (this.#latest === found) this.#latest = undefined;
    streams.delete(stream);
    if (streams.size === 0) this.#sessions.delete(session);
    this.#streams--;
    this.#size -= found.size;
    this.#ended.delete(found);
  }
}
