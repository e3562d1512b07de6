/**
 * The default event store: this process's memory, bounded per stream, per age and in total.
 *
 * What does not fit pushes out the oldest; who asks for that later is told so, never given a stream with a hole.
 */
import { type Clock, type Timer, unref } from "../../../base/clock.ts";
import type { EventStore, Replay, StoredEvent } from "./event-store.ts";

export interface MemoryEventStoreOptions {
  /** Events kept of one stream. Default 1 000. */
  maxEvents?: number;
  /** Characters kept of one stream. Default 8 Mi. */
  maxStreamSize?: number;
  /** Characters kept in total, each event counting {@link EVENT_COST} more; the streams that ended first go first. Default 64 Mi. */
  maxSize?: number;
  /** Milliseconds a stream is kept after its end. Default 5 minutes. */
  retention?: number;
  clock: Clock;
}

/** What an event costs beside its text. */
export const EVENT_COST = 256;

/** Streams that end within the same second are forgotten together. */
const STEP_MS = 1_000;

interface KeptStream {
  readonly session: string;
  readonly stream: string;
  /** The data of its events, each at its number modulo `maxEvents`; empty where one was pushed out. */
  readonly events: string[];
  /** Events that are kept: the last ones, without a gap. */
  count: number;
  size: number;
  /** The number of the last event, kept or not. */
  last: number;
  endedAt: number;
}

export class MemoryEventStore implements EventStore {
  readonly #options: Required<MemoryEventStoreOptions>;
  readonly #sessions = new Map<string, Map<string, KeptStream>>();
  /** In the order in which they ended. */
  readonly #ended = new Set<KeptStream>();
  #size = 0;
  /** Runs while a stream is kept that has ended. */
  #timer: Timer | undefined;
  /** Where the last event went: the next one mostly goes there too. */
  #latest: KeptStream | undefined;

  constructor(options: MemoryEventStoreOptions) {
    this.#options = { maxEvents: 1_000, maxStreamSize: 8 * 1024 * 1024, maxSize: 64 * 1024 * 1024, retention: 5 * 60_000, ...options };
  }

  append(session: string, stream: string, { number, data }: StoredEvent): void {
    const kept = this.#open(session, stream);
    const { maxEvents, maxStreamSize, maxSize } = this.#options;
    if (kept.count === maxEvents) this.#pushOut(kept);
    kept.events[(number - 1) % maxEvents] = data;
    kept.count++;
    kept.last = number;
    kept.size += data.length;
    this.#size += data.length + EVENT_COST;
    while (kept.size > maxStreamSize && kept.count > 0) this.#pushOut(kept);
    if (this.#size > maxSize) this.#shrink(kept);
  }

  #open(session: string, stream: string): KeptStream {
    const latest = this.#latest;
    if (latest?.stream === stream && latest.session === session) return latest;
    let streams = this.#sessions.get(session);
    if (streams === undefined) this.#sessions.set(session, (streams = new Map()));
    let kept = streams.get(stream);
    if (kept === undefined) streams.set(stream, (kept = { session, stream, events: [], count: 0, size: 0, last: 0, endedAt: Infinity }));
    this.#latest = kept;
    return kept;
  }

  /** Lets the oldest event go, and its text with it. */
  #pushOut(kept: KeptStream): void {
    const at = (kept.last - kept.count) % this.#options.maxEvents;
    const { length } = kept.events[at]!;
    kept.events[at] = "";
    kept.count--;
    kept.size -= length;
    this.#size -= length + EVENT_COST;
  }

  /** Streams that have ended go first; a stream that is alone too large loses its own oldest events. */
  #shrink(current: KeptStream): void {
    for (const kept of this.#ended) {
      if (this.#size <= this.#options.maxSize) return;
      this.#forget(kept);
    }
    while (this.#size > this.#options.maxSize && current.count > 0) this.#pushOut(current);
  }

  after(session: string, stream: string, number: number): Replay {
    this.#expire();
    const kept = this.#sessions.get(session)?.get(stream);
    if (kept === undefined || number > kept.last) return "unknown";
    if (number < kept.last - kept.count) return "evicted";
    const { maxEvents } = this.#options;
    return Array.from({ length: kept.last - number }, (_, i) => ({ number: number + 1 + i, data: kept.events[(number + i) % maxEvents]! }));
  }

  end(session: string, stream: string): void {
    const kept = this.#sessions.get(session)?.get(stream);
    if (kept === undefined) return;
    kept.endedAt = this.#options.clock.now();
    this.#ended.add(kept);
    this.#expire();
  }

  #expire(): void {
    const { clock, retention } = this.#options;
    const oldest = clock.now() - retention;
    for (const kept of this.#ended) {
      if (kept.endedAt > oldest) return this.#expireIn(Math.max(kept.endedAt - oldest, STEP_MS));
      this.#forget(kept);
    }
  }

  /** Also where nothing more is said on any stream. */
  #expireIn(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#options.clock.setTimer(ms, () => {
      this.#timer = undefined;
      this.#expire();
    });
    unref(this.#timer);
  }

  #forget(kept: KeptStream): void {
    this.#ended.delete(kept);
    if (this.#ended.size === 0 && this.#timer !== undefined) {
      this.#options.clock.clearTimer(this.#timer);
      this.#timer = undefined;
    }
    if (this.#latest === kept) this.#latest = undefined;
    this.#size -= kept.size + kept.count * EVENT_COST;
    const streams = this.#sessions.get(kept.session);
    streams?.delete(kept.stream);
    if (streams?.size === 0) this.#sessions.delete(kept.session);
  }

  drop(session: string): void {
    for (const kept of this.#sessions.get(session)?.values() ?? []) this.#forget(kept);
  }

  /** What is kept now, of all streams. */
  get size(): number {
    return this.#size;
  }
}
