/** The options of an HTTP endpoint by name, with the defaults of numbers, for the check of what users pass. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { NumberTable } from "../../base/number-options.ts";
import { CALL_TIMES, CONNECTION_LIMITS, type ConnectionLimits } from "../../dispatch/limits.ts";
import { CARD_OPTIONS } from "./card/options.ts";
import type { FetchHandlerOptions, HttpLimits, HttpOptions, HttpSessionOptions, HttpStreamOptions } from "./options.ts";

/** The limits that an endpoint has beside the limits of a connection. */
export const HTTP_LIMITS: NumberTable<Omit<HttpLimits, keyof ConnectionLimits>> = {
  maxBodyBytes: [4_194_304, 1],
  maxResultSize: [16_777_216, 1],
  maxRunning: [4_096, 1],
  maxBuffered: [4_194_304, 1],
  maxStalled: [30_000, 0, "ms"],
  maxUnsent: [268_435_456, 1],
};

export const SESSIONS: NumberTable<Required<HttpSessionOptions>> = {
  max: [10_000, 1],
  maxPerPrincipal: [100, 1],
  idle: [1_800_000, 0, "ms"],
  age: [86_400_000, 0, "ms"],
};

export const STREAMS: NumberTable<Required<HttpStreamOptions>> = {
  after: [500, 0, "ms"],
  keepAlive: [15_000, 0, "ms"],
  retry: [1_000, 0, "ms"],
  max: [1_024, 1],
  maxPerPrincipal: [50, 1],
};

export function httpLimitKeys(): OptionKeys<HttpLimits> {
  return { ...CONNECTION_LIMITS, ...HTTP_LIMITS };
}

/** The options that every way to serve an endpoint has. */
export function httpOptionKeys(): OptionKeys<HttpOptions> {
  return {
    ...CALL_TIMES,
    allowedHosts: 1,
    allowedOrigins: 1,
    auth: 1,
    card: CARD_OPTIONS,
    cors: { origins: 1, headers: 1 },
    welcome: { url: 1 },
    responseMode: 1,
    sessions: SESSIONS,
    stores: 1,
    streams: STREAMS,
    limits: httpLimitKeys(),
    httpSse: 1,
    onError: 1,
    clock: 1,
  };
}

export function fetchHandlerOptionKeys(): OptionKeys<FetchHandlerOptions> {
  return { ...httpOptionKeys(), clientAddress: 1 };
}
