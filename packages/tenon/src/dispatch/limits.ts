/** The limits of a connection, with their defaults, and the checks of time options. */

import type { OptionKeys } from "../base/known-options.ts";

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
   * Error responses a second to malformed messages without an id; the others are only reported. Default 10. A malformed message
   * with an id always gets a response.
   */
  maxMalformedResponses: number;
  /**
   * Progress notifications a second that `onProgress` of one call receives; of those that come faster, the newest. Default 50, and
   * as many at once; `Infinity` for all.
   */
  maxProgressRate: number;
}

/** The names of those limits. */
export const CONNECTION_LIMITS: OptionKeys<ConnectionLimits> = {
  maxInFlight: 1,
  maxRequestRate: 1,
  handlerTimeout: 1,
  handlerGrace: 1,
  maxMalformed: 1,
  maxMalformedResponses: 1,
  maxProgressRate: 1,
};

/** The times of calls and the limits of a connection together. */
export interface DispatcherLimits extends CallTimes, ConnectionLimits {}

/** The times and limits among the options of one end of a connection. */
export interface LimitOptions extends Partial<CallTimes> {
  /** Limits of the connection. Default: see each limit. */
  limits?: Partial<ConnectionLimits>;
}

/** Defaults of the limits that are durations. */
const DURATIONS = { timeout: 60_000, maxTotalTimeout: 600_000, handlerTimeout: 600_000, handlerGrace: 5_000 };
/** Defaults of the limits that are counts, of at least 1. */
const COUNTS = { maxInFlight: 256, maxRequestRate: Infinity, maxMalformed: 1_000, maxMalformedResponses: 10, maxProgressRate: 50 };

/** The `limits.maxRequestRate` of a client. Its server is not trusted, and people and models need far fewer. */
const CLIENT_REQUEST_RATE = 500;

/** The limits given, with the `limits.maxRequestRate` of a client. */
export function clientLimits(given: Partial<ConnectionLimits> = {}): Partial<ConnectionLimits> {
  return { ...given, maxRequestRate: given.maxRequestRate ?? CLIENT_REQUEST_RATE };
}

/** @throws RangeError if `ms` is negative or not a number */
export function assertDuration(name: string, ms: number): number {
  if (typeof ms === "number" && ms >= 0) return ms;
  throw new RangeError(`Option "${name}" must be a number of milliseconds >= 0 or Infinity, not ${shown(ms)}`);
}

/** Texts in quotes, so that "10" differs from 10. */
function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

/** @throws RangeError if `value` is less than `min`, or not a number */
export function assertAtLeast(name: string, value: number, min: number): number {
  // A program without types may pass a text, which compares as a number does.
  if (typeof value === "number" && value >= min) return value;
  throw new RangeError(`Option "${name}" must be a number >= ${min}, not ${shown(value)}`);
}

/** Adds the defaults to the given limits. @throws RangeError if one is negative, too small or not a number */
export function withDefaults({ limits = {}, ...times }: LimitOptions): DispatcherLimits {
  const merged: DispatcherLimits = { ...DURATIONS, ...COUNTS };
  for (const name of Object.keys(merged) as (keyof DispatcherLimits)[]) {
    const isTime = name === "timeout" || name === "maxTotalTimeout";
    const value = isTime ? times[name] : limits[name];
    if (value === undefined) continue;
    const option = isTime ? name : `limits.${name}`;
    merged[name] = name in COUNTS ? assertAtLeast(option, value, 1) : assertDuration(option, value);
  }
  return merged;
}
