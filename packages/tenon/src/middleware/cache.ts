/**
 * Keeps results for a while: the same request of the same caller gets the kept result, and its handler does not run.
 *
 * Only complete results are kept: no failures, no questions, and no results of requests with answers. Callers share the result object, so
 * they must not change it.
 */
import { BoundedMap } from "../base/bounds/bounded-map.ts";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { isPromise } from "../base/maybe-promise.ts";
import { canonicalExactJson, withExactNumbersOf } from "../jsonrpc/exact-numbers.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { assertAtLeast, assertDuration } from "../base/number-options.ts";
import type { HandlerContext } from "../session/handler.ts";
import { principalOf, type AnyMiddleware } from "./any-middleware.ts";

/** What {@link cache} keeps, and how long. */
export interface CacheOptions {
  /** Milliseconds that a result is kept. There is no default. */
  ttl: number;
  /**
   * Selects the requests to cache: those that change nothing and whose result stays the same for a while. There is no default, because
   * only you know them: `({ method }) => method === "resources/read"`.
   */
  when: (context: HandlerContext) => boolean;
  /**
   * The most results that are kept; the least recently used one is evicted first. Default 1 000. Requests of more than 16 Ki characters
   * are not cached.
   */
  maxEntries?: number;
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

const CACHE_OPTIONS: OptionKeys<CacheOptions> = { ttl: 1, when: 1, maxEntries: 1, clock: 1 };
/** The longest request that is cached, in characters of its JSON. */
const MAX_KEY = 16_384;

interface CachedResult {
  readonly result: JsonObject;
  readonly until: number;
}

/**
 * Caches results by caller and revision. Security: callers without a principal share results. `server.use(cache({ ttl: 60_000, when }))`, `client.use(…)`. @throws RangeError if an option is negative or not a number
 * @example
 * ```ts
 * import { connect } from "tenon/client";
 * import { cache } from "tenon/middleware";
 * import { McpServer } from "tenon/server";
 *
 * let runs = 0;
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("rates", {}, () => ++runs);
 * server.use(cache({ ttl: 60_000, when: ({ method, params }) => method === "tools/call" && params["name"] === "rates" }));
 * await using client = await connect(server);
 * await client.callTool("rates");
 * console.log((await client.callTool("rates")).text, runs); // 1 1
 * ```
 */
export function cache(options: CacheOptions): AnyMiddleware {
  assertKnown("cache()", options, CACHE_OPTIONS);
  const { ttl, when, maxEntries = 1_000, clock = systemClock } = options;
  assertDuration("ttl", ttl);
  assertAtLeast("maxEntries", maxEntries, 1);
  const entries = new BoundedMap<string, CachedResult>(maxEntries);
  const keep = (key: string, result: JsonObject): JsonObject => {
    if (isFinal(result)) entries.set(key, { result, until: clock.now() + ttl });
    return result;
  };
  return (next) => (context) => {
    if (bringsAnswers(context) || !when(context)) return next(context);
    const key = keyOf(context);
    if (key.length > MAX_KEY) return next(context);
    const known = entries.get(key);
    if (known !== undefined && known.until > clock.now()) {
      entries.set(key, known); // the newest again
      return known.result;
    }
    const result = next(context);
    return isPromise(result) ? result.then((value) => keep(key, value)) : keep(key, result);
  };
}

/** The key of a request: unique for its method, params, caller and revision. */
function keyOf(context: HandlerContext): string {
  const { _meta: _, ...rest } = context.params;
  const params = withExactNumbersOf(context.params, rest);
  const { protocolVersion } = context as { protocolVersion?: unknown }; // contexts of servers and clients have it
  return canonicalExactJson([context.method, params, principalOf(context) ?? null, protocolVersion ?? null]);
}

function bringsAnswers({ params }: HandlerContext): boolean {
  return "inputResponses" in params || "requestState" in params;
}

function isFinal({ isError, resultType = "complete" }: JsonObject): boolean {
  return isError !== true && resultType === "complete";
}
