/** One stream of an event log in memory: its last events, without a gap. */
import type { StoredEvent, StreamName } from "../event-log.ts";
import { BoundedMap } from "../../base/bounds/bounded-map.ts";
import { MAX_ADDITIONS } from "../limits.ts";

/** What an event counts besides its text, in characters. */
export const EVENT_COST = 256;

export class MemoryStream {
  readonly at: StreamName;
  writer: string | undefined;
  readonly note: string | undefined;
  /** When it expires, by the clock of the log. */
  until: number;
  ended: boolean = false;
  /** The number of the last event, kept or not. */
  last = 0;
  /** Events that are kept: the last ones. */
  kept = 0;
  /** Characters of the events that are kept. */
  characters = 0;
  readonly #maxEvents: number;
  /** The data of the events, each at its number modulo `maxEvents`; empty if it was evicted. So no eviction moves the others. */
  readonly #events: string[] = [];
  /** Keys of additions, with the number of the last event after each. Made with the first, because most streams have none. */
  #additions: BoundedMap<string, number> | undefined;

  /** @param maxEvents events that are kept; one more evicts the oldest */
  constructor(
    at: StreamName,
    maxEvents: number,
    { writer, note, until }: { writer: string | undefined; note: string | undefined; until: number },
  ) {
    this.at = at;
    this.#maxEvents = maxEvents;
    this.writer = writer;
    this.note = note;
    this.until = until;
  }

  /** What it counts in the limit of all streams. */
  get size(): number {
    return this.characters + this.kept * EVENT_COST;
  }

  /** @returns by how much its size has changed */
  push(data: string): number {
    const freed = this.kept === this.#maxEvents ? this.evict() : 0;
    this.#events[this.last % this.#maxEvents] = data;
    this.last++;
    this.kept++;
    this.characters += data.length;
    return data.length + EVENT_COST - freed;
  }

  /** Evicts the oldest event. @returns what it counted */
  evict(): number {
    const at = (this.last - this.kept) % this.#maxEvents;
    const { length } = this.#events[at]!;
    this.#events[at] = "";
    this.characters -= length;
    this.kept--;
    return length + EVENT_COST;
  }

  /** Up to `limit` events after a number that is kept. */
  after(number: number, limit: number): StoredEvent[] {
    const length = Math.min(limit, this.last - number);
    return Array.from({ length }, (_, i) => ({ number: number + 1 + i, data: this.#events[(number + i) % this.#maxEvents]! }));
  }

  /** The number of the last event after an addition that was made before. */
  addedBy(key: string): number | undefined {
    return this.#additions?.get(key);
  }

  remember(key: string): void {
    (this.#additions ??= new BoundedMap(MAX_ADDITIONS)).set(key, this.last);
  }
}
