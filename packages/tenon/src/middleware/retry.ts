/**
 * Repeats a client's call that failed for the moment: each time as a new request, after a growing wait, until the attempts are used up or
 * the caller cancels.
 *
 * By default it repeats only calls that cannot take effect twice: those refused before they ran (`retryAfterMs`), never sent, or
 * read-only.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { McpError, ConnectionLostError } from "../jsonrpc/mcp-error.ts";
import { READING_METHODS } from "../protocol/methods.ts";
import { type Clock, sleep, systemClock } from "../base/clock.ts";
import { withPresets, type NumberTable } from "../base/number-options.ts";
import { waits } from "../base/waits.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import type { HandlerContext } from "../session/handler.ts";
import type { AnyMiddleware } from "./any-middleware.ts";

/** How often {@link retry} tries, and after which failures. */
export interface RetryOptions {
  /** How often a call is repeated. Default 2. */
  attempts?: number;
  /** The most milliseconds before the first repetition; doubled each time, with full jitter. Default 1 000. */
  delay?: number;
  /** The longest wait in milliseconds. If a server asks for a longer wait, the call fails. Default 30 000. */
  maxDelay?: number;
  /** Selects other failures after which a call is repeated. Default: none. Security: a tool may then take effect twice. */
  when?: (error: unknown, context: HandlerContext) => boolean;
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

const NUMBERS: NumberTable<Required<Pick<RetryOptions, "attempts" | "delay" | "maxDelay">>> = {
  attempts: [2, 0],
  delay: [1_000, 0, "ms"],
  maxDelay: [30_000, 0, "ms"],
};
const RETRY_OPTIONS: OptionKeys<RetryOptions> = { ...NUMBERS, when: 1, clock: 1 };

/**
 * Repeats a call that failed for the moment: one that was refused before it ran (`retryAfterMs`), was never sent, or only reads. For
 * clients: `client.use(retry())`. @throws RangeError if an option is negative or not a number
 */
export function retry(options: RetryOptions = {}): AnyMiddleware {
  assertKnown("retry()", options, RETRY_OPTIONS);
  const { attempts, delay, maxDelay } = withPresets(NUMBERS, options);
  const { when, clock = systemClock } = options;
  const waitAfter = (error: unknown, context: HandlerContext, grown: number): number | undefined => {
    const named = retryAfterOf(error);
    if (named !== undefined) return named <= maxDelay ? named : undefined;
    if (!isTransient(error, context) && when?.(error, context) !== true) return undefined;
    return grown;
  };
  return (next) => async (context) => {
    const growing = waits({ first: delay, longest: maxDelay, jitter: 1 });
    for (let attempt = 0; ; attempt++) {
      try {
        return await next(attempt === 0 ? context : withNewId(context));
      } catch (error) {
        const wait = attempt < attempts && !context.signal.aborted ? waitAfter(error, context, growing.next()) : undefined;
        if (wait === undefined) throw error;
        await sleep(clock, wait, context.signal);
      }
    }
  };
}

function withNewId<C extends HandlerContext>(context: C): C {
  const { options } = context as { options?: RequestOptions }; // outbound requests have them
  if (options?.requestId === undefined) return context;
  const { requestId: _, ...rest } = options;
  return { ...context, options: rest };
}

/** The wait that a busy server asks for. It has not run the refused request. */
function retryAfterOf(error: unknown): number | undefined {
  const data: unknown = McpError.isMcpError(error) ? error.data : undefined;
  const ms = typeof data === "object" && data !== null ? (data as JsonObject)["retryAfterMs"] : undefined;
  return typeof ms === "number" && ms >= 0 ? ms : undefined;
}

function isTransient(error: unknown, { method }: HandlerContext): boolean {
  return error instanceof ConnectionLostError && (error.outcome === "not-sent" || READING_METHODS.has(method));
}
