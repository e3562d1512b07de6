/**
 * Limits the requests of each caller within a time.
 *
 * Each caller has a token bucket of `limit` requests. A refused request does not run; its error says when to retry. The workers of
 * `serveHttp({ workers })` count together.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { andThen } from "../base/maybe-promise.ts";
import { workerStore } from "../base/worker-host.ts";
import type { RateStore } from "../base/bounds/rate-counts.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { assertAtLeast, withPresets, type NumberTable } from "../base/number-options.ts";
import { CallerBuckets } from "../base/bounds/caller-buckets.ts";
import type { HandlerContext } from "../session/handler.ts";
import { shareIn, type AnyMiddleware } from "./any-middleware.ts";

/** How many requests {@link rateLimit} lets pass, and how callers are distinguished. */
export interface RateLimitOptions {
  /** The most requests of one caller within `per`, also at once. At least 1; there is no default. */
  limit: number;
  /** The time that `limit` applies to, in milliseconds. Default 60 000. */
  per?: number;
  /**
   * The caller of a request, as a string. Default: the authenticated principal, or else the client's address; callers that have neither
   * share one limit. Security: do not use what clients say about themselves.
   */
  by?: (context: HandlerContext) => string | undefined;
  /** The most callers within `per`; one more is refused. Default 10 000. */
  maxCallers?: number;
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

const NUMBERS: NumberTable<Required<Pick<RateLimitOptions, "per" | "maxCallers">>> = { per: [60_000, 1], maxCallers: [10_000, 1] };
const RATE_LIMIT_OPTIONS: OptionKeys<RateLimitOptions> = { limit: 1, by: 1, clock: 1, ...NUMBERS };

/**
 * Refuses requests of a caller above a limit, with -32603 and the milliseconds to wait in `data.retryAfterMs`. A refused request has not run.
 * `server.use(rateLimit({ limit: 100 }))`. @throws RangeError if an option is below 1 or not a number
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { rateLimit } from "tenon/middleware";
 * import { McpServer } from "tenon/server";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * server.use("tools/call", rateLimit({ limit: 1, per: 60_000 }));
 * await using client = await connect(server);
 * await client.callTool("hello");
 * console.log(await client.callTool("hello").catch(() => "too many")); // too many
 * ```
 */
export function rateLimit(options: RateLimitOptions): AnyMiddleware {
  assertKnown("rateLimit()", options, RATE_LIMIT_OPTIONS);
  const { per, maxCallers } = withPresets(NUMBERS, options);
  const { by = shareIn, clock = systemClock } = options;
  const limit = assertAtLeast("limit", options.limit, 1);
  const callers = new CallerBuckets(limit, per, maxCallers);
  const shared = { name: `rateLimit ${++limits}`, limit, per, maxCallers };
  return (next) => (context) => {
    const caller = by(context) ?? "";
    const wait = workerStore<RateStore>("rates")?.take(shared, caller) ?? callers.take(caller, clock.now());
    return andThen(wait, (ms) => {
      if (ms === undefined) return next(context);
      const message = `Busy: more than ${limit} requests within ${per} ms (middleware "rateLimit")`;
      throw new McpError(ErrorCode.InternalError, message, { limit: "rateLimit", max: limit, retryAfterMs: Math.ceil(ms) });
    });
  };
}

/** The limits that this program has made. All workers run the same program, so they make the same limits in the same order. */
let limits = 0;
