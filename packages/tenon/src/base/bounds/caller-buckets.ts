/** The token buckets of many callers, with a limit on how many there are. */
import { TokenBucket } from "./token-bucket.ts";

/**
 * The buckets of all callers, in two generations of `per` each. A caller without a request for one generation has a full bucket, so its
 * bucket is dropped.
 */
export class CallerBuckets {
  readonly #limit: number;
  readonly #per: number;
  readonly #max: number;
  #recent = new Map<string, TokenBucket>();
  #earlier = new Map<string, TokenBucket>();
  #turnedAt = -Infinity;

  constructor(limit: number, per: number, max: number) {
    this.#limit = limit;
    this.#per = per;
    this.#max = max;
  }

  /** Takes a token. Returns undefined if the request may run, else the milliseconds to wait. */
  take(caller: string, now: number): number | undefined {
    if (now - this.#turnedAt >= this.#per) this.#turn(now);
    let bucket = this.#recent.get(caller);
    if (bucket === undefined) {
      if (this.#recent.size >= this.#max) return this.#per - (now - this.#turnedAt);
      bucket = this.#earlier.get(caller) ?? new TokenBucket((this.#limit / this.#per) * 1000, now, this.#limit);
      this.#recent.set(caller, bucket);
    }
    return bucket.take(now) ? undefined : bucket.wait;
  }

  #turn(now: number): void {
    this.#earlier = now - this.#turnedAt >= 2 * this.#per ? new Map() : this.#recent;
    this.#recent = new Map();
    this.#turnedAt = now;
  }
}
