/** One stream of an event log in memory: its last events, without a gap. */
import type { StoredEvent } from "../../storage/event-log.ts";
import { MAX_ADDITIONS, MAX_EVENTS, MAX_STREAM_SIZE } from "../../storage/limits.ts";

export class MemoryStream {
  writer: string | undefined;
  readonly note: string | undefined;
  /** When it expires, by the clock of the store. */
  until: number;
  ended: boolean = false;
  /** The number of the last event, kept or not. */
  last = 0;
  /** The data of the events that are kept: the last ones. */
  readonly events: string[] = [];
  /** Characters of the events that are kept. */
  size = 0;
  /** Keys of additions, with the number of the last event after each. */
  readonly additions: Map<string, number> = new Map();

  constructor(writer: string | undefined, note: string | undefined, until: number) {
    this.writer = writer;
    this.note = note;
    this.until = until;
  }

  push(data: string): void {
    this.events.push(data);
    this.last++;
    this.size += data.length;
    while (this.events.length > 1 && (this.events.length > MAX_EVENTS || this.size > MAX_STREAM_SIZE)) this.evict();
  }

  /** Evicts the oldest event. */
  evict(): void {
    this.size -= this.events.shift()?.length ?? 0;
  }

  /** Up to `limit` events after a number that is kept. */
  after(number: number, limit: number): StoredEvent[] {
    const start = number - (this.last - this.events.length);
    return this.events.slice(start, start + limit).map((data, index) => ({ number: number + 1 + index, data }));
  }

  remember(key: string): void {
    this.additions.set(key, this.last);
    if (this.additions.size > MAX_ADDITIONS) this.additions.delete(this.additions.keys().next().value!); // the oldest
  }
}
