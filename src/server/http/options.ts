/** The options of an HTTP endpoint, with their defaults. */
import type { EndpointAuth } from "../../auth/resource-server/endpoint-auth.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import { assertAtLeast, assertDuration, type DispatcherLimits } from "../../dispatch/limits.ts";
import { assertOrigins, type CorsOptions } from "./endpoint/cors.ts";
import type { EventStore } from "./sessions/event-store.ts";
import { Guard, type GuardOptions } from "./endpoint/guard.ts";

/** `auto`: JSON unless something else is said first. `sse`: always a stream. `json`: never one; what is not the answer is dropped. */
export type ResponseMode = "auto" | "json" | "sse";

/** Where the address of a client stands: the name of a header, or a function of the request as the runtime has it. */
export type ClientAddress<Request> = string | ((request: Request) => string | undefined);

/** Options of a served HTTP endpoint. Security: the guard (`allowedHosts`, `allowedOrigins`) is always on; `auth` decides who gets in. */
export interface HttpOptions extends GuardOptions, Partial<DispatcherLimits> {
  /** Who may use this endpoint, such as `bearer({ issuer, audience })` of `tenon/auth`. Default: everybody whom the guard lets through. */
  auth?: EndpointAuth;
  /** How requests are answered. Default `"auto"`: JSON, or a stream where the handler says something first or takes long. */
  responseMode?: ResponseMode;
  /** Milliseconds after which an answer that is still missing becomes a stream. Default 500. */
  sseAfter?: number;
  /** Milliseconds between signs of life on a quiet stream. Default 15 000. */
  keepAlive?: number;
  /** Pages of other origins that may use this endpoint, which the guard then allows too. Default: none. */
  cors?: CorsOptions;
  /**
   * Sessions for the revisions that have them (up to 2025-11-25). Default true. `false`: each request stands alone, and
   * what a handler asks the client fails with `NoBackChannelError`.
   */
  sessions?: boolean;
  /**
   * The transport of 2024-11-05, two endpoints on one path, beside the others. Default false. Same guards.
   * @deprecated in the protocol as of 2025-03-26: for clients that know nothing else.
   */
  httpSse?: boolean;
  /**
   * Keeps what streams of sessions carry, so that a client can come back for it. Default: in memory, 1 000 events and 8 Mi characters
   * of a stream until five minutes after its end, 64 Mi characters in all.
   */
  eventStore?: EventStore;
  /** Milliseconds a client is told to wait before it comes back for the rest of a stream. Default 1 000. */
  retry?: number;
  /** Bytes of a request body. Default 4 MiB; 413 above. */
  maxBodyBytes?: number;
  /** Characters of a result. Default 16 Mi; -32603 above. */
  maxResultSize?: number;
  /** Sessions at the same time. Default 10 000; 503 above. */
  maxSessions?: number;
  /** Sessions of one principal at the same time, or of one client address if there is no principal (`clientAddress`). Default 100; 429 above. */
  maxSessionsPerPrincipal?: number;
  /**
   * Milliseconds without a request or an open stream after which a session ends. Default 30 minutes; one whose handshake was never
   * finished ends after a minute.
   */
  sessionIdle?: number;
  /** Milliseconds a session may last. Default 24 hours. */
  sessionAge?: number;
  /** Streams that stay open by design: `subscriptions/listen`, and the GET streams of sessions. Default 1 024; 503 above. */
  maxStreams?: number;
  /** Such streams of one principal, or of one client address if there is no principal (`clientAddress`). Default 50; 429 above. */
  maxStreamsPerPrincipal?: number;
  /** Requests of all clients that are running at the same time. Default 4 096; 503 above. */
  maxRunning?: number;
  /**
   * Characters that may wait on a stream whose client does not read. Default 4 Mi; then the stream is cut. Also the bytes of answers that
   * may wait on a connection before further requests on the same connection are refused with 503.
   */
  maxBuffered?: number;
  /**
   * Milliseconds a client may read nothing while a stream or an answer waits for it. Default 30 000; then its connection is cut.
   * Looked at every `keepAlive` milliseconds. A fetch handler hands JSON answers to its runtime and cannot cut those.
   */
  maxStalled?: number;
  /**
   * Bytes of streams and answers that this process may hold for clients that have not read them. Default 256 MiB. Above, new
   * requests are refused with 503, large answers become errors, and streams that are not read are cut. All endpoints of the process
   * count together. A fetch handler hands JSON answers to its runtime: those do not count.
   */
  maxUnsent?: number;
  /** Told of what is dropped or goes wrong outside a request. Default: nobody. */
  onError?: (error: Error) => void;
  /** What all time limits go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/** Options of `createFetchHandler`: those of an endpoint, and where the client's address stands. */
export interface FetchHandlerOptions extends HttpOptions {
  /**
   * The address that tells clients without a principal apart for `maxSessionsPerPrincipal` and the other shares: the header that the
   * runtime or a proxy writes, such as `"cf-connecting-ip"` (of a list the last entry counts), or a function. Security: a `Request` does
   * not have the address of its client. Without this option clients without a principal have no share, and one of them can take all there is.
   */
  clientAddress?: ClientAddress<Request>;
}

/** Options as the endpoint uses them. */
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

/** @throws RangeError for a time that is none or a count below 1, TypeError for an origin that is none */
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

/** Pages that may read answers may also ask. @throws TypeError for an entry that is no host, or no origin */
export function guardFor({ allowedHosts, allowedOrigins, cors }: HttpOptions): Guard {
  const origins = cors === undefined || cors.origins === "loopback" ? allowedOrigins : [...(allowedOrigins ?? []), ...cors.origins];
  return new Guard({ ...(allowedHosts && { allowedHosts }), ...(origins && { allowedOrigins: origins }) });
}

/** Refuses bad options at once, for those who make the handler with the first request. @throws TypeError, RangeError */
export function assertHttpOptions(options: HttpOptions): void {
  withHttpDefaults(options);
  guardFor(options);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** @throws TypeError if the option is neither the name of a header nor a function */
export function assertClientAddress(option: unknown): void {
  if (option === undefined || typeof option === "function" || (typeof option === "string" && HEADER_NAME.test(option))) return;
  throw new TypeError('Option "clientAddress" must be the name of a header, or a function of the request');
}
