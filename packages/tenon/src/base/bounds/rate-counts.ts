/** The token buckets of several rate limits by their names, for processes that count together. */
import type { MaybePromise } from "../maybe-promise.ts";
import { BoundedMap } from "./bounded-map.ts";
import { CallerBuckets } from "./caller-buckets.ts";

/** A rate limit as all processes know it. */
export interface RateLimit {
  readonly name: string;
  /** Requests of one caller within `per` milliseconds, of `maxCallers` callers. */
  readonly limit: number;
  readonly per: number;
  readonly maxCallers: number;
}

export interface RateStore {
  /** Takes a token. Undefined if the request may run, else the milliseconds to wait. */
  take(limit: RateLimit, caller: string): MaybePromise<number | undefined>;
}

/** The most limits of one program. */
const MAX_LIMITS = 1_000;

export class RateCounts implements RateStore {
  readonly #limits = new BoundedMap<string, CallerBuckets>(MAX_LIMITS);

  take({ name, limit, per, maxCallers }: RateLimit, caller: string): number | undefined {
    let callers = this.#limits.get(name);
    if (callers === undefined) this.#limits.set(name, (callers = new CallerBuckets(limit, per, maxCallers)));
    return callers.take(caller, performance.now());
  }
}
