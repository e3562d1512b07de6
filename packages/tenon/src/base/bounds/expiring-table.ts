/**
 * Entries that live until they expire. If there is no room, a new one is refused: dropping a live one would let its client use a
 * state twice, or end another client's call.
 */

export interface ExpiringTableOptions {
  readonly full: () => Error;
  /** The sizes of all entries together. One owner uses at most half. */
  readonly max: number;
  /** Milliseconds since 1970, or since any other time. */
  readonly now: () => number;
}

export interface EntryRoom {
  /** The owner whose share it uses. Default: there are no shares. */
  readonly owner?: string | undefined;
  /** Default 1. */
  readonly size?: number;
}

interface ExpiringEntry<Value> {
  readonly value: Value;
  readonly until: number;
  readonly owner: string | undefined;
  readonly size: number;
}

export class ExpiringTable<Value> {
  readonly #entries = new Map<string, ExpiringEntry<Value>>();
  /** Keys by the second in which they expire, so that each entry is checked once. */
  readonly #bySecond = new Map<number, string[]>();
  readonly #used = new Map<string, number>();
  readonly #full: () => Error;
  readonly #max: number;
  readonly #now: () => number;
  #size = 0;
  /** The second of the last search for expired entries. */
  #forgotten = -1;

  constructor({ full, max, now }: ExpiringTableOptions) {
    this.#full = full;
    this.#max = max;
    this.#now = now;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until > this.#now() ? entry.value : undefined;
  }

  /** Removes and returns a value, so that only one caller gets it. */
  take(key: string): Value | undefined {
    const value = this.get(key);
    this.#drop(key);
    return value;
  }

  /** Adds an entry for a key that may be used once. Returns false if it is there. @throws as {@link set} */
  claim(key: string, value: Value, ms: number, room?: EntryRoom): boolean {
    if (this.get(key) !== undefined) return false;
    this.set(key, value, ms, room);
    return true;
  }

  /**
   * Adds an entry for `ms` milliseconds, or replaces the one with the same key.
   * @throws what `full` made, if the table or the share of the owner is full
   */
  set(key: string, value: Value, ms: number, { owner, size = 1 }: EntryRoom = {}): void {
    const now = this.#now();
    this.#forget(now);
    this.#assertRoom(key, { owner, size });
    this.#drop(key);
    const until = now + ms;
    this.#entries.set(key, { value, until, owner, size });
    this.#size += size;
    if (owner !== undefined) this.#used.set(owner, this.#usedBy(owner) + size);
    const second = Math.ceil(until / 1_000);
    const keys = this.#bySecond.get(second);
    if (keys === undefined) this.#bySecond.set(second, [key]);
    else keys.push(key);
  }

  #usedBy(owner: string): number {
    return this.#used.get(owner) ?? 0;
  }

  /** What an entry replaces does not count. */
  #assertRoom(key: string, { owner, size }: Pick<ExpiringEntry<Value>, "owner" | "size">): void {
    const before = this.#entries.get(key);
    const more = size - (before?.size ?? 0);
    const moreOfOwner = before?.owner === owner ? more : size;
    const isFull = this.#size + more > this.#max;
    const isShareFull = owner !== undefined && this.#usedBy(owner) + moreOfOwner > this.#max / 2;
    if (isFull || isShareFull) throw this.#full();
  }

  /** Drops expired entries, at most once a second: there may be as many lists as seconds. */
  #forget(now: number): void {
    const current = Math.floor(now / 1_000);
    if (current === this.#forgotten) return;
    this.#forgotten = current;
    for (const [second, keys] of this.#bySecond) {
      if (second * 1_000 > now) continue;
      this.#bySecond.delete(second);
      // A key that was added again is in two lists.
      for (const key of keys) if ((this.#entries.get(key)?.until ?? Infinity) <= now) this.#drop(key);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { owner, size } = entry;
    this.#entries.delete(key);
    this.#size -= size;
    if (owner === undefined) return;
    const used = this.#used.get(owner)! - size; // counted when it was added
    if (used > 0) this.#used.set(owner, used);
    else this.#used.delete(owner);
  }
}
