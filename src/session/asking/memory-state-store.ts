/** Where states live that are too large to travel, and what is known of those that count once, in one process. */
import type { StateStore } from "./options.ts";

/** Characters kept. The oldest entries go first, and those whose time is over with the next one that comes. */
const MAX_SIZE = 16 * 2 ** 20;
/** What an entry takes beside its value. */
const OVERHEAD = 128;

interface Entry {
  readonly value: string;
  readonly until: number;
}

/** A store for one process: the default. Holds 16 Mi characters, of which the oldest go first, and is empty again after a restart. */
export class MemoryStateStore implements StateStore {
  readonly #entries = new Map<string, Entry>();
  #size = 0;

  put(key: string, value: string, ms: number): void {
    const now = Date.now();
    this.#drop(key);
    this.#entries.set(key, { value, until: now + ms });
    this.#size += value.length + OVERHEAD;
    for (const [oldest, { until }] of this.#entries) {
      if (this.#size <= MAX_SIZE && until > now) return;
      this.#drop(oldest);
    }
  }

  get(key: string): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.until > Date.now()) return entry?.value;
    this.#drop(key);
    return undefined;
  }

  claim(key: string, ms: number): boolean {
    if (this.get(key) !== undefined) return false;
    this.put(key, "", ms);
    return true;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.value.length + OVERHEAD;
  }
}
