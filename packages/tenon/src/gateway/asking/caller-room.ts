/**
 * Characters that a gateway holds in memory for its callers, in all and of each caller.
 *
 * A caller may use as much as is left for the others. So one caller alone gets half of the room, and each further caller still finds some:
 * calls that a caller has abandoned cannot use up what others need.
 */
export class CallerRoom {
  readonly #max: number;
  readonly #sizes = new Map<string, number>();
  #total = 0;

  /** @param max characters of all callers */
  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a caller may use that many characters more. */
  has(owner: string, size: number): boolean {
    return this.#of(owner) + size <= this.#max - this.#total - size;
  }

  add(owner: string, size: number): void {
    this.#sizes.set(owner, this.#of(owner) + size);
    this.#total += size;
  }

  remove(owner: string, size: number): void {
    const left = this.#of(owner) - size;
    if (left > 0) this.#sizes.set(owner, left);
    else this.#sizes.delete(owner);
    this.#total -= size;
  }

  #of(owner: string): number {
    return this.#sizes.get(owner) ?? 0;
  }
}
