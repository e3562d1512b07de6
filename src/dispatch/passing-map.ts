/**
 * A map whose entries come and go all the time, such as the calls of a connection.
 *
 * A `Map` replaces its table whenever many entries have gone, and V8 keeps each table alive from the one before: once one
 * of them is old, none of its successors is collected with the young objects. A new map, whenever this one is empty, lets
 * them go.
 */
export class PassingMap<Key, Value> {
  #map = new Map<Key, Value>();

  get size(): number {
    return this.#map.size;
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value);
  }

  delete(key: Key): void {
    if (this.#map.size > 1 || !this.#map.has(key)) this.#map.delete(key);
    else this.clear();
  }

  clear(): void {
    this.#map = new Map();
  }

  values(): Iterable<Value> {
    return this.#map.values();
  }
}
