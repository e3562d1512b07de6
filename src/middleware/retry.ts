/**
 * Makes a call of a client again that failed for the moment: each time a new request, later and later, until its caller
 * gives up.
 *
 * By itself only what cannot have happened twice: calls that were refused before they ran (`retryAfterMs`), that were never
 * sent, or that change nothing.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpError, ConnectionLostError } from "../jsonrpc/mcp-error.ts";
import { READING_METHODS } from "../protocol/methods.ts";
import { type Clock, sleep, systemClock } from "../base/clock.ts";
import { assertAtLeast, assertDuration } from "../dispatch/limits.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import type { HandlerContext } from "../session/handler.ts";
import type { AnyMiddleware } from "./any-middleware.ts";

/** How often {@link retry} tries, and after which failures. */
export interface RetryOptions {
  /** Times a call is made again. Default 2. */
  attempts?: number;
  /** Milliseconds before the first of them, at most; twice as many each time, with full jitter. Default 1 000. */
  delay?: number;
  /** Longest wait in milliseconds; a server that names a longer one is believed, and not asked again. Default 30 000. */
  maxDelay?: number;
  /**
   * Further failures after which a call may be made again. Default: none. Security: a tool that has an effect may then have it
   * twice.
   */
  when?: (error: unknown, context: HandlerContext) => boolean;
  /** What the time goes by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/**
 * Makes a call again that failed in passing: one that was refused before it ran (`retryAfterMs`), was never sent, or only reads. For
 * clients: `client.use(retry())`. @throws RangeError for numbers that are none
 */
export function retry({ attempts = 2, delay = 1_000, maxDelay = 30_000, when, clock = systemClock }: RetryOptions = {}): AnyMiddleware {
  assertAtLeast("attempts", attempts, 0);
  assertDuration("delay", delay);
  assertDuration("maxDelay", maxDelay);
  const waitAfter = (error: unknown, context: HandlerContext, attempt: number): number | undefined => {
    const named = retryAfterOf(error);
    if (named !== undefined) return named <= maxDelay ? named : undefined;
    if (!isTransient(error, context) && when?.(error, context) !== true) return undefined;
    return Math.random() * Math.min(delay * 2 ** attempt, maxDelay);
  };
  return (next) => async (context) => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await next(attempt === 0 ? context : withNewId(context));
      } catch (error) {
        const wait = attempt < attempts && !context.signal.aborted ? waitAfter(error, context, attempt) : undefined;
        if (wait === undefined) throw error;
        await sleep(clock, wait, context.signal);
      }
    }
  };
}

/** The same request under a new id. */
function withNewId<C extends HandlerContext>(context: C): C {
  const { options } = context as { options?: RequestOptions }; // requests on their way out have them
  if (options?.requestId === undefined) return context;
  const { requestId: _, ...rest } = options;
  return { ...context, options: rest };
}

/** When a server that was busy wants to be asked again: what it refused so has not run. */
function retryAfterOf(error: unknown): number | undefined {
  const data: unknown = McpError.isMcpError(error) ? error.data : undefined;
  const ms = typeof data === "object" && data !== null ? (data as JsonObject)["retryAfterMs"] : undefined;
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

function isTransient(error: unknown, { method }: HandlerContext): boolean {
  return error instanceof ConnectionLostError && (error.outcome === "not-sent" || READING_METHODS.has(method));
}
