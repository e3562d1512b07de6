/**
 * A map that holds a bounded number of entries: one more drops the oldest.
 *
 * It is for what can be made again or forgotten, where the keys come from outside: a peer that invents keys never fills the memory.
 */

export class BoundedMap<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((value: Value, key: Key) => void) | undefined;
  readonly #entries = new Map<Key, Value>();
  /** Goes from one oldest entry to the next. A new iterator would pass the places of all that were deleted: 50 µs with 100 000 entries. */
  #oldest: IterableIterator<[Key, Value]> | undefined;
  /** Entries that were set since the last drop. */
  #setSince = 0;

  constructor(max: number, onDrop?: (value: Value, key: Key) => void) {
    this.#max = max;
    this.#onDrop = onDrop;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Sets an entry, which is the newest from then on, also if the map had its key already. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#max) return this.#dropOldest();
    // An iterator that rests holds the memory of the map as it was.
    if (this.#oldest !== undefined && ++this.#setSince > this.#max) this.#oldest = undefined;
  }

  #dropOldest(): void {
    this.#setSince = 0;
    this.#oldest ??= this.#entries.entries();
    const [key, value] = this.#oldest.next().value as [Key, Value]; // it has dropped each entry that it has passed, and one is too many
    this.#entries.delete(key);
    this.#onDrop?.(value, key);
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The oldest first. */
  keys(): IterableIterator<Key> {
    return this.#entries.keys();
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
