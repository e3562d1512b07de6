/** The options of an HTTP endpoint as it uses them: complete and checked. */
import { systemClock, type Clock } from "../../base/clock.ts";
import { withPresets } from "../../base/number-options.ts";
import { withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import type { SharedStores } from "../../storage/shared-stores.ts";
import { assertCard } from "./card/options.ts";
import type { CorsOptions } from "./endpoint/cors.ts";
import { HTTP_LIMITS, SESSIONS, STREAMS } from "./option-keys.ts";
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

export interface SessionSettings extends Required<HttpSessionOptions> {
  readonly enabled: boolean;
}

/** @throws RangeError if a time is negative or a count is below 1, TypeError for something that is not an origin or an authorizer */
export function withHttpDefaults(options: HttpOptions): HttpSettings {
  const { sessions = true, auth, cors, allowedOrigins } = options;
  const own = typeof sessions === "boolean" ? {} : sessions;
  if (auth !== undefined && typeof auth.authorize !== "function")
    throw new TypeError('Option "auth" must be an authorizer, such as bearer() of "tenon/auth"');
  if (cors !== undefined) assertCors(cors, allowedOrigins);
  assertKinds(options);
  if (options.card !== undefined) assertCard(options.card);
  assertStores(options.stores);
  return {
    ...options,
    responseMode: options.responseMode ?? "auto",
    sessions: {
      ...withPresets(SESSIONS, own, "sessions"),
      enabled: sessions !== false,
    },
    streams: withPresets(STREAMS, options.streams, "streams"),
    limits: { ...withDefaults(options), ...withPresets(HTTP_LIMITS, options.limits, "limits") },
    clock: options.clock ?? systemClock,
  };
}

const RESPONSE_MODES: ReadonlySet<unknown> = new Set<ResponseMode | undefined>(["auto", "json", "sse", undefined]);

/** Checks what a program without types may pass. @throws TypeError */
function assertKinds({ sessions, responseMode, welcome = false }: HttpOptions): void {
  if (sessions !== undefined && typeof sessions !== "boolean" && Object(sessions) !== sessions)
    throw new TypeError(`Option "sessions" must be true, false or an object of options, not ${JSON.stringify(sessions)}`);
  if (!RESPONSE_MODES.has(responseMode))
    throw new TypeError(`Option "responseMode" must be "auto", "json" or "sse", not ${JSON.stringify(responseMode)}`);
  if (typeof welcome !== "boolean" && Object(welcome) !== welcome)
    throw new TypeError(`Option "welcome" must be true, false or { url }, not ${JSON.stringify(welcome)}`);
  const { url } = Object(welcome) as { readonly url?: unknown };
  if (url !== undefined && !(typeof url === "string" && /^https?:/i.test(url) && URL.canParse(url)))
    throw new TypeError(`welcome.url: ${JSON.stringify(url)} must be an http: or https: URL, such as "https://example.com/mcp"`);
}

const CORS_HEADER = /^[a-z0-9!#$%&'+.^_`|~-]{1,128}$/i;

/**
 * @throws TypeError if an entry is not an origin (`*` and `null` are not), if the guard would refuse its pages, or if a header is not
 * the name of one (`*` is not)
 */
function assertCors({ origins, headers = [] }: CorsOptions, allowedOrigins: readonly string[] | "any" | undefined): void {
  if (!Array.isArray(headers)) throw new TypeError('cors.headers must be a list of names, such as ["x-api-key"]');
  for (const name of headers) {
    if (typeof name !== "string" || !CORS_HEADER.test(name))
      throw new TypeError(`cors.headers: ${JSON.stringify(name)} is not the name of a header, such as "x-api-key"`);
  }
  if (origins === "loopback") {
    if (allowedOrigins !== undefined) throw new TypeError('cors.origins: "loopback" goes with the default of "allowedOrigins" only');
    return;
  }
  if (!Array.isArray(origins)) throw new TypeError('Option "cors" must be { origins: ["https://app.example"] }');
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new TypeError(`cors.origins: ${JSON.stringify(origin)} is not an origin, such as "https://app.example"`);
  }
}

function assertStores(stores: Partial<SharedStores> | undefined): void {
  const lacking = stores && (["keyed", "events", "bus"] as const).find((name) => stores[name] === undefined);
  if (lacking !== undefined) throw new TypeError(`Option "stores" lacks "${lacking}": pass what redisStores() or postgresStores() returns`);
}

/** Origins that may read responses may also send requests. @throws TypeError if an entry is not a host or not an origin */
export function guardFor({ allowedHosts, allowedOrigins, cors }: HttpOptions): Guard {
  if (allowedOrigins === "any") return new Guard({ ...(allowedHosts && { allowedHosts }), allowedOrigins });
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
