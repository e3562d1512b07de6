/** Ids that a server has given to tasks: the newest ones, up to a number and up to a length of all together. */

/** Characters of all ids of one table, so that a server cannot fill the memory with long ones. */
const MAX_CHARACTERS = 1_048_576;

export class TaskIds {
  readonly #max: number;
  /** Oldest first. */
  readonly #ids = new Set<string>();
  #characters = 0;

  /** @param max most ids; the oldest are forgotten */
  constructor(max: number) {
    this.#max = max;
  }

  get isEmpty(): boolean {
    return this.#ids.size === 0;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    if (this.#ids.has(id)) return;
    this.#ids.add(id);
    this.#characters += id.length;
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#max && this.#characters <= MAX_CHARACTERS) break;
      this.#ids.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
