/**
 * A rate limit as a token bucket: a number of tokens a second, and at most `capacity` at once.
 *
 * It needs no timer: the tokens that were added since the last call are computed from the clock.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #tokens: number;
  #at: number;

  /**
   * @param now      milliseconds on the clock that is used from now on
   * @param capacity tokens at once, 1 or more; default: as many as a second adds
   */
  constructor(perSecond: number, now: number, capacity: number = perSecond) {
    this.#perSecond = perSecond;
    this.#capacity = this.#tokens = capacity;
    this.#at = now;
  }

  take(now: number): boolean {
    if (this.#tokens < this.#capacity) this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Milliseconds until there is a token, as of the last {@link take}; 0 if there is one. */
  get wait(): number {
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1000;
  }
}
