/**
 * A Map and a Set for many short-lived entries; they are rebuilt so that V8 frees their old tables.
 *
 * V8 makes a new table for a map from time to time, and each old table refers to the next one. Once one of them is in the old
 * generation, all that come after it stay in memory until the next full collection, with the entries that they had: the calls of a
 * server, with all that belongs to them. So these begin anew with a fresh map before that costs anything.
 */

/** Entries that are added before a fresh map is made, if it holds few. With more it is twice as many as it holds. */
const MIN_ADDED = 64;

export class PassingMap<Key, Value> {
  #entries = new Map<Key, Value>();
  #added = 0;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    if (++this.#added > MIN_ADDED && this.#added > 2 * this.#entries.size) {
      this.#entries = new Map(this.#entries);
      this.#added = 0;
    }
    this.#entries.set(key, value);
  }

  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  /** In the order in which they were added. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}

export class PassingSet<Item> {
  readonly #items = new PassingMap<Item, Item>();

  get size(): number {
    return this.#items.size;
  }

  add(item: Item): void {
    this.#items.set(item, item);
  }

  delete(item: Item): boolean {
    return this.#items.delete(item);
  }

  [Symbol.iterator](): IterableIterator<Item> {
    return this.#items.values();
  }
}
