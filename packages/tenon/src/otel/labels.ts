/**
 * Names as values of metric attributes. Each new value is a series that a backend keeps, and names come from a peer. So a name counts
 * only if something has shown that it exists, and only until the table is full.
 */

/** What stands in place of a name that does not count. The semantic conventions use it in the same way. */
const OTHER = "_OTHER";
/** The most characters of a name. */
const MAX_LENGTH = 128;

export class Labels {
  readonly #max: number;
  readonly #known = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Lets a name count, if there is room. */
  learn(name: unknown): void {
    if (typeof name === "string" && this.#known.size < this.#max) this.#known.add(name.slice(0, MAX_LENGTH));
  }

  /** The name, or `_OTHER`. */
  of(name: string): string {
    const label = name.slice(0, MAX_LENGTH);
    return this.#known.has(label) ? label : OTHER;
  }
}
