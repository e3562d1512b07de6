export class OpenKeys {
  readonly #most: number;
  readonly #keys = new Map<string, { readonly hash: string; readonly ending: AbortController }>();

  /** @param most keys that are remembered; streams of the oldest ones end when the key expires */
  constructor(most: number) {
    this.#most = most;
  }

  /** Aborts when the key is revoked, or gets another secret, as far as this process hears of it. */
  endOf(id: string, hash: string): AbortSignal {
    const known = this.#keys.get(id);
    if (known !== undefined) return known.ending.signal;
    const ending = new AbortController();
    this.#keys.set(id, { hash, ending });
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > this.#most) this.#keys.delete(oldest!); // there is one
    return ending.signal;
  }

  /**
   * Says what the store has of a key now: undefined if it is gone. Security: who presents a wrong secret ends no streams of the right one,
   * because only the store's own hash counts.
   */
  seen(id: string, hash: string | undefined): void {
    const known = this.#keys.get(id);
    if (known === undefined || known.hash === hash) return;
    this.#keys.delete(id);
    known.ending.abort();
  }
}
