/** The options of an HTTP endpoint as it uses them: complete and checked. */
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertAtLeast, assertDuration, withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import type { SharedStores } from "../../storage/shared-stores.ts";
import { assertCard } from "./card/options.ts";
import { assertOrigins } from "./endpoint/cors.ts";
import { Guard } from "./endpoint/guard.ts";
import type { HttpLimits, HttpOptions, HttpSessionOptions, HttpStreamOptions, ResponseMode } from "./options.ts";

/** Options as the endpoint uses them. */
export interface HttpSettings extends HttpOptions {
  readonly responseMode: ResponseMode;
  readonly sessions: SessionSettings;
  readonly streams: Required<HttpStreamOptions>;
  readonly limits: HttpLimits & DispatcherLimits;
  readonly clock: Clock;
}

/** The option `sessions`. */
export interface SessionSettings extends Required<HttpSessionOptions> {
  /** Whether there are sessions. */
  readonly enabled: boolean;
}

const SESSIONS = { max: 10_000, maxPerPrincipal: 100, idle: 30 * 60_000, age: 24 * 60 * 60_000 } as const;
const STREAMS = { after: 500, keepAlive: 15_000, retry: 1_000, max: 1_024, maxPerPrincipal: 50 } as const;
const LIMITS = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxResultSize: 16 * 1024 * 1024,
  maxRunning: 4_096,
  maxBuffered: 4 * 1024 * 1024,
  maxStalled: 30_000,
  maxUnsent: 256 * 1024 * 1024,
  maxWaiting: 4 * 1024 * 1024,
} as const;

/** Options that are milliseconds, and may be 0 or `Infinity`. All others are counts of at least 1. */
const DURATIONS: ReadonlySet<string> = new Set(["idle", "age", "after", "keepAlive", "retry", "maxStalled"]);

/** @throws RangeError if a time is negative or a count is below 1, TypeError for something that is not an origin or an authorizer */
export function withHttpDefaults(options: HttpOptions): HttpSettings {
  const { sessions = true, auth, cors, allowedOrigins } = options;
  const given = typeof sessions === "boolean" ? {} : sessions;
  if (auth !== undefined && typeof auth.authorize !== "function")
    throw new TypeError('Option "auth" must be an authorizer, such as bearer() of "tenon/auth"');
  if (cors !== undefined) assertOrigins(cors, allowedOrigins);
  assertKinds(options);
  if (options.card !== undefined) assertCard(options.card);
  assertStores(options.stores);
  return {
    ...options,
    responseMode: options.responseMode ?? "auto",
    sessions: {
      ...checked("sessions", SESSIONS, given),
      enabled: sessions !== false,
    },
    streams: checked("streams", STREAMS, options.streams),
    limits: { ...withDefaults(options), ...checked("limits", LIMITS, options.limits) },
    clock: options.clock ?? systemClock,
  };
}

const RESPONSE_MODES: ReadonlySet<unknown> = new Set<ResponseMode | undefined>(["auto", "json", "sse", undefined]);

/** Checks what a program without types may pass. @throws TypeError */
function assertKinds({ sessions, responseMode }: HttpOptions): void {
  if (sessions !== undefined && typeof sessions !== "boolean" && Object(sessions) !== sessions)
    throw new TypeError(`Option "sessions" must be true, false or an object of options, not ${JSON.stringify(sessions)}`);
  if (!RESPONSE_MODES.has(responseMode))
    throw new TypeError(`Option "responseMode" must be "auto", "json" or "sse", not ${JSON.stringify(responseMode)}`);
}

/** @throws TypeError */
function assertStores(stores: Partial<SharedStores> | undefined): void {
  const lacking = stores && (["keyed", "events", "bus"] as const).find((name) => stores[name] === undefined);
  if (lacking !== undefined) throw new TypeError(`Option "stores" lacks "${lacking}": pass what redisStores() or postgresStores() returns`);
}

/** A group of options, each as it is given or by its default. @throws RangeError */
function checked<Name extends string>(
  group: string,
  defaults: Readonly<Record<Name, number>>,
  given: { readonly [Option in NoInfer<Name>]?: number } = {},
): Record<Name, number> {
  const settings: Record<Name, number> = { ...defaults };
  for (const name of Object.keys(defaults) as Name[]) {
    const value = given[name];
    if (value === undefined) continue;
    const option = `${group}.${name}`;
    settings[name] = DURATIONS.has(name) ? assertDuration(option, value) : assertAtLeast(option, value, 1);
  }
  return settings;
}

/** Origins that may read responses may also send requests. @throws TypeError if an entry is not a host or not an origin */
export function guardFor({ allowedHosts, allowedOrigins, cors }: HttpOptions): Guard {
  const origins = cors === undefined || cors.origins === "loopback" ? allowedOrigins : [...(allowedOrigins ?? []), ...cors.origins];
  return new Guard({ ...(allowedHosts && { allowedHosts }), ...(origins && { allowedOrigins: origins }) });
}

/**
 * Refuses bad options at once, for handlers that make their endpoint with the first request. @throws TypeError, RangeError; McpUsageError if
 * the server cannot share what `stores` keep
 */
export function assertHttpOptions(options: HttpOptions, server: Acceptor): void {
  withHttpDefaults(options);
  guardFor(options);
  if (options.stores !== undefined) server.shared?.useStores(options.stores);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** @throws TypeError if the option is neither the name of a header nor a function */
export function assertClientAddress(option: unknown): void {
  if (option === undefined || typeof option === "function" || (typeof option === "string" && HEADER_NAME.test(option))) return;
  throw new TypeError('Option "clientAddress" must be the name of a header, or a function of the request');
}
