/**
 * At most so many requests in a while, for each caller by itself (H15, K1.11).
 *
 * A token bucket a caller: `limit` at once, then as they come in again. A refused request has not run; its error says when
 * to come back.
 */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { assertAtLeast, assertDuration } from "../dispatch/limits.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import type { HandlerContext } from "../session/handler.ts";
import { shareIn, type AnyMiddleware } from "./any-middleware.ts";

/** How many requests {@link rateLimit} lets through, and of whom. */
export interface RateLimitOptions {
  /** Requests of one caller within `per`; as many may come at once. At least 1; there is no default. */
  limit: number;
  /** The while that `limit` is for, in milliseconds. Default 60 000. */
  per?: number;
  /**
   * Whose share a request counts against. Default: that of the principal, or else of the client's address; requests that have neither
   * share one. Do not use what clients say of themselves.
   */
  by?: (context: HandlerContext) => string | undefined;
  /** Callers that are told apart within `per`; one more is refused. Default 10 000. */
  maxCallers?: number;
  /** What the time goes by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/**
 * Refuses what a caller asks too often (K1.11), with -32603 and how long to wait in `data.retryAfterMs`: what is refused has not run.
 * `server.use(rateLimit({ limit: 100 }))`. @throws RangeError for numbers that are none
 */
export function rateLimit({
  limit,
  per = 60_000,
  by = shareIn,
  maxCallers = 10_000,
  clock = systemClock,
}: RateLimitOptions): AnyMiddleware {
  assertAtLeast("limit", limit, 1);
  assertAtLeast("per", assertDuration("per", per), 1);
  assertAtLeast("maxCallers", maxCallers, 1);
  const callers = new Callers(limit, per, maxCallers);
  return (next) => (context) => {
    const wait = callers.take(by(context) ?? "", clock.now());
    if (wait === undefined) return next(context);
    const message = `Busy: more than ${limit} requests within ${per} ms (middleware "rateLimit")`;
    throw new McpError(ErrorCode.InternalError, message, { limit: "rateLimit", max: limit, retryAfterMs: Math.ceil(wait) });
  };
}

/**
 * The buckets of all callers, in two generations of `per` each: who was not heard of for one generation has a full bucket,
 * and is forgotten with it.
 */
class Callers {
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

  /** Undefined where the request may run; else how long to wait, in milliseconds. */
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
