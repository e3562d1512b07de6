/** The options of an HTTP endpoint by name, for the check of what users pass. */
import type { OptionKeys } from "../../base/known-options.ts";
import { CONNECTION_LIMITS } from "../../dispatch/limits.ts";
import { CARD_OPTIONS } from "./card/options.ts";
import type { FetchHandlerOptions, HttpLimits, HttpOptions } from "./options.ts";

/** The limits of an endpoint. */
export function httpLimitKeys(): OptionKeys<HttpLimits> {
  return {
    ...CONNECTION_LIMITS,
    maxBodyBytes: 1,
    maxResultSize: 1,
    maxRunning: 1,
    maxBuffered: 1,
    maxStalled: 1,
    maxUnsent: 1,
    maxWaiting: 1,
  };
}

/** The options that every way to serve an endpoint has. */
export function httpOptionKeys(): OptionKeys<HttpOptions> {
  return {
    timeout: 1,
    maxTotalTimeout: 1,
    allowedHosts: 1,
    allowedOrigins: 1,
    auth: 1,
    card: CARD_OPTIONS,
    cors: { origins: 1 },
    responseMode: 1,
    sessions: { max: 1, maxPerPrincipal: 1, idle: 1, age: 1 },
    stores: 1,
    streams: { after: 1, keepAlive: 1, retry: 1, max: 1, maxPerPrincipal: 1 },
    limits: httpLimitKeys(),
    httpSse: 1,
    onError: 1,
    clock: 1,
  };
}

/** The options of `createFetchHandler()`. */
export function fetchHandlerOptionKeys(): OptionKeys<FetchHandlerOptions> {
  return { ...httpOptionKeys(), clientAddress: 1 };
}
