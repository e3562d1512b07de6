/**
 * Remembers results for a while: the same request of the same caller is answered without running its handler.
 *
 * Only complete results are kept: no failures, no questions, nothing of a call that brings answers along. What is given
 * out again is the same object, so nobody may change it.
 */
import { canonicalJson } from "../base/json-values.ts";
import { isPromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { assertAtLeast, assertDuration } from "../dispatch/limits.ts";
import type { HandlerContext } from "../session/handler.ts";
import { principalOf, type AnyMiddleware } from "./any-middleware.ts";

/** What {@link cache} keeps, and for how long. */
export interface CacheOptions {
  /** Milliseconds a result is good for. There is no default. */
  ttl: number;
  /**
   * Which requests: those that change nothing and whose answer is the same for a while. There is no default, since nobody but
   * you knows: `({ method }) => method === "resources/read"`.
   */
  when: (context: HandlerContext) => boolean;
  /** Results kept; the one that was not asked for the longest goes first. Default 1 000. None of a request of more than 16 Ki characters. */
  maxEntries?: number;
  /** What the time goes by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/** Longest request that is kept, in characters of its JSON: others have the answer made anew. */
const MAX_KEY = 16_384;

interface Entry {
  readonly result: JsonObject;
  readonly until: number;
}

/**
 * Answers the same request of the same caller, in the same revision, out of memory for a while. Security: callers without a principal
 * share results. `server.use(cache({ ttl: 60_000, when }))`, `client.use(…)`. @throws RangeError for numbers that are none
 */
export function cache({ ttl, when, maxEntries = 1_000, clock = systemClock }: CacheOptions): AnyMiddleware {
  assertDuration("ttl", ttl);
  assertAtLeast("maxEntries", maxEntries, 1);
  const entries = new Map<string, Entry>();
  const keep = (key: string, result: JsonObject): JsonObject => {
    if (!isFinal(result)) return result;
    entries.delete(key);
    entries.set(key, { result, until: clock.now() + ttl });
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    return result;
  };
  return (next) => (context) => {
    if (bringsAnswers(context) || !when(context)) return next(context);
    const key = keyOf(context);
    if (key.length > MAX_KEY) return next(context);
    const known = entries.get(key);
    if (known !== undefined && known.until > clock.now()) {
      entries.delete(key);
      entries.set(key, known);
      return known.result;
    }
    const result = next(context);
    return isPromise(result) ? result.then((value) => keep(key, value)) : keep(key, result);
  };
}

/** The same for the same question of the same caller in the same revision, and never for two. */
function keyOf(context: HandlerContext): string {
  const { _meta: _, ...asked } = context.params;
  const { protocolVersion } = context as { protocolVersion?: unknown }; // what contexts of servers and clients have
  return canonicalJson([context.method, asked, principalOf(context) ?? null, protocolVersion ?? null]);
}

function bringsAnswers({ params }: HandlerContext): boolean {
  return "inputResponses" in params || "requestState" in params;
}

function isFinal({ isError, resultType = "complete" }: JsonObject): boolean {
  return isError !== true && resultType === "complete";
}
