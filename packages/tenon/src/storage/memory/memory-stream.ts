/** One stream of an event log in memory: its last events, without a gap. */
import type { StoredEvent, StreamName } from "../event-log.ts";
import { BoundedMap } from "../../base/bounded-map.ts";
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
  /** The data of the events that are kept: the last ones. */
  readonly events: string[] = [];
  /** Characters of the events that are kept. */
  characters = 0;
  /** Keys of additions, with the number of the last event after each. Made with the first, because most streams have none. */
  #additions: BoundedMap<string, number> | undefined;

  constructor(at: StreamName, { writer, note, until }: { writer: string | undefined; note: string | undefined; until: number }) {
    this.at = at;
    this.writer = writer;
    this.note = note;
    this.until = until;
  }

  /** What it counts in the limit of all streams. */
  get size(): number {
    return this.characters + this.events.length * EVENT_COST;
  }

  push(data: string): void {
    this.events.push(data);
    this.last++;
    this.characters += data.length;
  }

  /** Evicts the oldest event. */
  evict(): void {
    this.characters -= this.events.shift()?.length ?? 0;
  }

  /** Up to `limit` events after a number that is kept. */
  after(number: number, limit: number): StoredEvent[] {
    const start = number - (this.last - this.events.length);
    return this.events.slice(start, start + limit).map((data, index) => ({ number: number + 1 + index, data }));
  }

  /** The number of the last event after an addition that was made before. */
  addedBy(key: string): number | undefined {
    return this.#additions?.get(key);
  }

  remember(key: string): void {
    (this.#additions ??= new BoundedMap(MAX_ADDITIONS)).set(key, this.last);
  }
}
