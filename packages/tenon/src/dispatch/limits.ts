/** The limits of a connection, with their defaults, and the checks of time options. */

import { withPresets, type NumberTable } from "../base/number-options.ts";

/** The default of `timeouts.start` in {@link ProgramTimeouts}, in milliseconds. */
export const DEFAULT_START_TIMEOUT = 60_000;

/** How long calls may take. */
export interface CallTimes {
  /** Milliseconds that a call waits for its response. Default 60 000; `Infinity` for no limit. */
  timeout: number;
  /** Milliseconds that a call may take if progress extends it. Default 600 000; `Infinity` for no limit. */
  maxTotalTimeout: number;
}

/** Limits of one end of a connection: the option `limits`. All times are in milliseconds; counts are at least 1. */
export interface ConnectionLimits {
  /**
   * Inbound requests that run at the same time; the next one is refused with -32603 "busy". For a client also the questions in one
   * result: a call with more fails before the first is asked. Default 256.
   */
  maxInFlight: number;
  /**
   * Inbound requests a second, and as many at once. One more closes its source with `LimitExceededError`: the connection, or over
   * HTTP the one exchange. So a flood costs neither CPU nor responses. Default 500 for a client; a server has no limit.
   */
  maxRequestRate: number;
  /** Milliseconds that a handler may take before its signal aborts; after `limits.handlerGrace` more, the response is -32603. Default 600 000. */
  handlerTimeout: number;
  /** Milliseconds that an aborted handler gets to end before it counts as leaked. Default 5 000. */
  handlerGrace: number;
  /** Malformed messages in a row after which the connection is closed. Default 1 000. */
  maxMalformed: number;
  /**
   * Progress notifications a second that `onProgress` of one call receives; of those that come faster, the newest. Default 50, and
   * as many at once; `Infinity` for all.
   */
  maxProgressRate: number;
}

/** The limits of a connection: their names, their defaults and the least of each. */
export const CONNECTION_LIMITS: NumberTable<ConnectionLimits> = {
  maxInFlight: [256, 1],
  maxRequestRate: [Infinity, 1],
  handlerTimeout: [600_000, 0, "ms"],
  handlerGrace: [5_000, 0, "ms"],
  maxMalformed: [1_000, 1],
  maxProgressRate: [50, 1],
};

/** The times of calls, in the same way. */
export const CALL_TIMES: NumberTable<CallTimes> = { timeout: [60_000, 0, "ms"], maxTotalTimeout: [600_000, 0, "ms"] };

export interface DispatcherLimits extends CallTimes, ConnectionLimits {}

/** The times and limits among the options of one end of a connection. */
export interface LimitOptions extends Partial<CallTimes> {
  /** Limits of the connection. Default: see each limit. */
  limits?: Partial<ConnectionLimits>;
}

/** The `limits.maxRequestRate` of a client. Its server is not trusted, and people and models need far fewer. */
const CLIENT_REQUEST_RATE = 500;

export function clientLimits(given: Partial<ConnectionLimits> = {}): Partial<ConnectionLimits> {
  return { ...given, maxRequestRate: given.maxRequestRate ?? CLIENT_REQUEST_RATE };
}

/** Adds the defaults to the given limits. @throws RangeError if one is negative, too small or not a number */
export function withDefaults({ limits, ...times }: LimitOptions): DispatcherLimits {
  return { ...withPresets(CALL_TIMES, times), ...withPresets(CONNECTION_LIMITS, limits, "limits") };
}
