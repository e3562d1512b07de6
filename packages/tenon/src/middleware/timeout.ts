/**
 * Limits the duration of a request, below the limits of the connection and for some methods only (`server.use("tools/call",
 * timeout(5_000))`).
 *
 * On a server the handler's signal aborts and the client gets an error. On a client it shortens the timeouts of the call.
 */
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { isPromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import { assertDuration } from "../base/number-options.ts";
import type { Handler, HandlerContext } from "../session/handler.ts";
import { isOutgoing, type AnyMiddleware } from "./any-middleware.ts";

/** Options of {@link timeout}. */
export interface TimeoutOptions {
  /** The clock. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

const TIMEOUT_OPTIONS: OptionKeys<TimeoutOptions> = { clock: 1 };

/**
 * Limits how long a request may take. On a server the handler's signal aborts and the client gets -32603; on a client it shortens the
 * call's `timeout` and `maxTotalTimeout`. `server.use("tools/call", timeout(5_000))`.
 * @param ms milliseconds; `Infinity` for no limit
 * @throws RangeError if `ms` is negative or not a number
 */
export function timeout(ms: number, options: TimeoutOptions = {}): AnyMiddleware {
  assertKnown("timeout()", options, TIMEOUT_OPTIONS);
  const { clock = systemClock } = options;
  assertDuration("ms", ms);
  return (next) => (context) => {
    if (isOutgoing(context)) return next(shortenTimeouts(context, ms));
    const result = next(context);
    return isPromise(result) && ms !== Infinity ? within(result, context, ms, clock) : result;
  };
}

function shortenTimeouts<C extends HandlerContext & { readonly options: RequestOptions }>(context: C, ms: number): C {
  const { timeout: own = Infinity, maxTotalTimeout = Infinity } = context.options;
  const options = { ...context.options, timeout: Math.min(own, ms), maxTotalTimeout: Math.min(maxTotalTimeout, ms) };
  return { ...context, options };
}

function within(result: Promise<JsonObject>, context: HandlerContext, ms: number, clock: Clock): ReturnType<Handler> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(ms, () => {
      const { method } = context;
      const message = `"${method}" did not finish within ${ms} ms (middleware "timeout")`;
      const error = new McpError(ErrorCode.InternalError, message, { method, timeoutMs: ms });
      context.abort?.(error);
      reject(error);
    });
    result.then(resolve, reject).finally(() => clock.clearTimer(timer));
  });
}
