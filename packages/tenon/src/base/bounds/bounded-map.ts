/**
 * A map that holds a bounded number of entries: one more drops the oldest.
 *
 * It is for what can be made again or forgotten, where the keys come from outside: a peer that invents keys never fills the memory.
 */

export class BoundedMap<Key, Value> {
  readonly #max: number;
  readonly #onDrop: ((value: Value, key: Key) => void) | undefined;
  readonly #entries = new Map<Key, Value>();

  /**
   * @param max the most entries
   * @param onDrop called with each entry that another one has displaced
   */
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
    if (this.#entries.size <= this.#max) return;
    const [oldest] = this.#entries;
    this.#entries.delete(oldest![0]); // it holds more than none
    this.#onDrop?.(oldest![1], oldest![0]);
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

  /** The oldest first. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** The oldest first. */
  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }
}
