/**
 * The default event store: in the memory of this process, bounded per stream, by age and in total.
 *
 * When a limit is reached, the oldest events are evicted. A client that asks for an evicted event gets an error, never a stream with a
 * gap.
 */
import { type Clock, type Timer, unref } from "../../../base/clock.ts";
import type { StoredEvent } from "../../../storage/event-log.ts";
import type { EventStore, Replay } from "./event-store.ts";

export interface MemoryEventStoreOptions {
  /** Events kept of one stream. Default 1 000. */
  maxEvents?: number;
  /** Characters kept of one stream. Default 8 Mi. */
  maxStreamSize?: number;
  /** Characters kept in total, plus {@link EVENT_COST} for each event. Ended streams are evicted first, oldest first. Default 64 Mi. */
  maxSize?: number;
  /** Milliseconds a stream is kept after its end. Default 5 minutes. */
  retention?: number;
  clock: Clock;
}

/** What an event counts besides its text, in characters. */
export const EVENT_COST = 256;

/** Streams that end within the same second expire together. */
const STEP_MS = 1_000;

interface KeptStream {
  readonly session: string;
  readonly stream: string;
  /** The data of its events, each at its number modulo `maxEvents`; empty if it was evicted. */
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
  /** Runs while an ended stream is kept. */
  #timer: Timer | undefined;
  /** The stream of the last event, because the next event mostly belongs to it too. */
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

  /** Evicts the oldest event of a stream. */
  #pushOut(kept: KeptStream): void {
    const at = (kept.last - kept.count) % this.#options.maxEvents;
    const { length } = kept.events[at]!;
    kept.events[at] = "";
    kept.count--;
    kept.size -= length;
    this.#size -= length + EVENT_COST;
  }

  /** Evicts streams that have ended; if that is not enough, the oldest events of the current stream. */
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

  /** Sets a timer, so that streams expire even if no event follows. */
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

  /** The size of all kept events. */
  get size(): number {
    return this.#size;
  }
}
