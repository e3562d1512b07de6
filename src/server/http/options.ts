/** The options of an HTTP endpoint, with their defaults. */
import type { EndpointAuth } from "../../auth/resource-server/endpoint-auth.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertAtLeast, assertDuration, type DispatcherLimits } from "../../dispatch/limits.ts";
import { assertOrigins, type CorsOptions } from "./endpoint/cors.ts";
import type { EventStore } from "./sessions/event-store.ts";
import { Guard, type GuardOptions } from "./endpoint/guard.ts";

/**
 * `auto`: JSON unless another message comes first. `sse`: always a stream. `json`: never a stream; messages other than the response are
 * dropped.
 */
export type ResponseMode = "auto" | "json" | "sse";

/**
 * Options of a served HTTP endpoint. Security: the guard (`allowedHosts`, `allowedOrigins`) is always on; `auth` decides which clients
 * are served.
 */
export interface HttpOptions extends GuardOptions, Partial<DispatcherLimits> {
  /**
   * Who may use this endpoint, such as `bearer({ issuer, audience })` of `tenon/auth`. Default: requests that pass the guard are served
   * without authorization.
   */
  auth?: EndpointAuth;
  /** The form of responses. Default `"auto"`: JSON, or a stream if the handler sends a message first or takes long. */
  responseMode?: ResponseMode;
  /** Milliseconds after which a response that is not ready becomes a stream. Default 500. */
  sseAfter?: number;
  /** Milliseconds between keep-alive comments on a quiet stream. Default 15 000. */
  keepAlive?: number;
  /** Web pages of other origins that may use this endpoint. The guard then allows them too. Default: none. */
  cors?: CorsOptions;
  /**
   * Sessions for the revisions that have them (up to 2025-11-25). Default true. `false`: each request has no session, and a question to
   * the client fails with `NoBackChannelError`.
   */
  sessions?: boolean;
  /**
   * Serves the HTTP+SSE transport of 2024-11-05 too, on the same path and with the same guards. Default false.
   * @deprecated in the protocol as of 2025-03-26: use it only for clients that have no other transport.
   */
  httpSse?: boolean;
  /**
   * Keeps the events of session streams, so that a client can resume a stream. Default: in memory, 1 000 events and 8 Mi characters of a
   * stream until five minutes after its end, 64 Mi characters in all.
   */
  eventStore?: EventStore;
  /** Milliseconds that a client is told to wait before it resumes a stream. Default 1 000. */
  retry?: number;
  /** The most bytes of a request body. Default 4 MiB; 413 above. */
  maxBodyBytes?: number;
  /** The most characters of a result. Default 16 Mi; -32603 above. */
  maxResultSize?: number;
  /** The most sessions at the same time. Default 10 000; 503 above. */
  maxSessions?: number;
  /** The most sessions of one principal at the same time. Default 100; 429 above. Without authentication there are no principals. */
  maxSessionsPerPrincipal?: number;
  /**
   * Milliseconds without a request or an open stream after which a session ends. Default 30 minutes; a session whose handshake is not
   * finished ends after a minute.
   */
  sessionIdle?: number;
  /** The most milliseconds that a session may last. Default 24 hours. */
  sessionAge?: number;
  /** The most streams that stay open by design: `subscriptions/listen`, and the GET streams of sessions. Default 1 024; 503 above. */
  maxStreams?: number;
  /** The most streams of one principal that stay open by design. Default 50; 429 above. */
  maxStreamsPerPrincipal?: number;
  /** The most requests that run at the same time, of all clients. Default 4 096; 503 above. */
  maxRunning?: number;
  /**
   * Characters that may wait on a stream whose client does not read. Default 4 Mi; then the stream is cut. Also the bytes of responses
   * that may wait on a connection before further requests on the same connection are refused with 503.
   */
  maxBuffered?: number;
  /**
   * Milliseconds a client may read nothing while a stream or a response waits for it. Default 30 000; then its connection is cut. Checked
   * every `keepAlive` milliseconds. A fetch handler passes JSON responses to its runtime and cannot cut those.
   */
  maxStalled?: number;
  /**
   * Bytes of streams and responses that this process may hold for clients that have not read them. Default 256 MiB. Above, new requests
   * are refused with 503, large responses become errors, and streams whose clients do not read are cut. All endpoints of the process
   * count together. A fetch handler passes JSON responses to its runtime: those do not count.
   */
  maxUnsent?: number;
  /** Receives what is dropped or fails outside a request. Default: not reported. */
  onError?: (error: Error) => void;
  /** The clock of all time limits. Default: the system's. Tests pass a virtual clock. */
  clock?: Clock;
}

/** The options with their defaults. */
export type HttpSettings = Readonly<HttpOptions & Required<Omit<HttpOptions, OptionalNames>>>;
type OptionalNames = keyof GuardOptions | keyof DispatcherLimits | "auth" | "cors" | "eventStore" | "onError";

const DEFAULTS = {
  responseMode: "auto",
  sseAfter: 500,
  keepAlive: 15_000,
  sessions: true,
  httpSse: false,
  retry: 1_000,
  maxBodyBytes: 4 * 1024 * 1024,
  maxResultSize: 16 * 1024 * 1024,
  maxSessions: 10_000,
  maxSessionsPerPrincipal: 100,
  sessionIdle: 30 * 60_000,
  sessionAge: 24 * 60 * 60_000,
  maxStreams: 1_024,
  maxStreamsPerPrincipal: 50,
  maxRunning: 4_096,
  maxBuffered: 4 * 1024 * 1024,
  maxStalled: 30_000,
  maxUnsent: 256 * 1024 * 1024,
  clock: systemClock,
} as const satisfies HttpOptions;

const DURATIONS = ["sseAfter", "keepAlive", "retry", "sessionIdle", "sessionAge", "maxStalled"] as const;
const COUNTS = [
  "maxBodyBytes",
  "maxResultSize",
  "maxSessions",
  "maxSessionsPerPrincipal",
  "maxStreams",
  "maxStreamsPerPrincipal",
  "maxRunning",
  "maxBuffered",
  "maxUnsent",
] as const;

/** @throws RangeError if a time is negative or not a number, or a count is below 1; TypeError if an origin is invalid */
export function withHttpDefaults(options: HttpOptions): HttpSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as HttpOptions;
  const settings = { ...DEFAULTS, ...given };
  for (const name of DURATIONS) assertDuration(name, settings[name]);
  for (const name of COUNTS) assertAtLeast(name, settings[name], 1);
  if (settings.auth !== undefined && typeof settings.auth.authorize !== "function")
    throw new TypeError('Option "auth" must be an authorizer, such as bearer() of "tenon/auth"');
  if (settings.cors !== undefined) assertOrigins(settings.cors, settings.allowedOrigins);
  return settings;
}

/** Makes the guard. It accepts the origins of `cors` too. @throws TypeError if an entry is not a host name or not an origin */
export function guardFor({ allowedHosts, allowedOrigins, cors }: HttpOptions): Guard {
  const origins = cors === undefined || cors.origins === "loopback" ? allowedOrigins : [...(allowedOrigins ?? []), ...cors.origins];
  return new Guard({ ...(allowedHosts && { allowedHosts }), ...(origins && { allowedOrigins: origins }) });
}

/** Checks options at once, for a handler that is made with the first request. @throws TypeError, RangeError */
export function assertHttpOptions(options: HttpOptions): void {
  withHttpDefaults(options);
  guardFor(options);
}
