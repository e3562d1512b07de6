/**
 * A rate, as a token bucket: so many things a second, and only so many at once.
 *
 * No timer: what has come in since the last look is worked out from the clock.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #tokens: number;
  #at: number;

  /**
   * @param now      milliseconds on the clock that is used from now on
   * @param capacity how many at once, 1 or more; default: as many as a second brings
   */
  constructor(perSecond: number, now: number, capacity: number = perSecond) {
    this.#perSecond = perSecond;
    this.#capacity = this.#tokens = capacity;
    this.#at = now;
  }

  /** Takes one token; false where there is none. */
  take(now: number): boolean {
    if (this.#tokens < this.#capacity) this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until there is a token, as of the last {@link take}; 0 where there is one. */
  get wait(): number {
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }
}
