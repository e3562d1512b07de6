/** The options of an HTTP endpoint, in groups. Defaults of numbers are in `option-keys.ts`, others in `settings.ts`. */
import type { EndpointAuth } from "../../auth/resource-server/endpoint-auth.ts";
import type { Clock } from "../../base/clock.ts";
import type { SharedStores } from "../../storage/shared-stores.ts";
import type { CallTimes, ConnectionLimits } from "../../dispatch/limits.ts";
import type { ServerCardOptions } from "./card/options.ts";
import type { CorsOptions } from "./endpoint/cors.ts";
import type { GuardOptions } from "./endpoint/guard.ts";

/** `auto`: JSON unless the handler sends something first. `sse`: always a stream. `json`: never a stream; all but the response is dropped. */
export type ResponseMode = "auto" | "json" | "sse";

/** The source of a client's address: the name of a header, or a function of the request as the runtime has it. */
export type ClientAddress<Request> = string | ((request: Request) => string | undefined);

/**
 * Options of a served HTTP endpoint. Security: the guard (`allowedHosts`, `allowedOrigins`) is always on; `auth` decides which clients
 * are served.
 */
export interface HttpOptions extends GuardOptions, Partial<CallTimes> {
  /** Who may use this endpoint, such as `bearer({ issuer, audience })` of `tenon/auth`. Default: every request that passes the guard. */
  auth?: EndpointAuth;
  /** Web pages of other origins that may use this endpoint. The guard then allows them too. Default: none. */
  cors?: CorsOptions;
  /**
   * Publishes a Server Card at `<endpoint>/server-card`, so that clients find and describe the server before they connect
   * (docs/serving/server-card.md). Security: it is public, also if there is `auth`. Default: none.
   */
  card?: ServerCardOptions;
  /**
   * Shows a page to a user who opens the endpoint in a browser: what the server is, and a link or a command that adds it to each host.
   * Default false: a line of text. Security: the page is public. It has what a client without a token receives; with `auth` the name of the
   * server only.
   */
  welcome?: boolean | WelcomeOptions;
  /**
   * How requests are answered. Default `"auto"`: JSON, or a stream if the handler sends something first or takes long. `subscriptions/listen`
   * and the GET of a session are streams in each mode.
   */
  responseMode?: ResponseMode;
  /**
   * Sessions for the revisions that have them (up to 2025-11-25). Default true, with the defaults of {@link HttpSessionOptions}. `false`:
   * each request has no session, and a question to the client fails with `NoBackChannelError`.
   */
  sessions?: boolean | HttpSessionOptions;
  /**
   * The stores that all nodes of this server share, such as `redisStores()`. Then any node serves any request of any session, and a client
   * resumes its streams at any node. The server needs `requestState.keys`; `states` is its default `requestState.store`. Default: none, and
   * sessions belong to this process.
   */
  stores?: SharedStores;
  /** How responses become streams, and how streams are kept alive. Default: see each option. */
  streams?: HttpStreamOptions;
  /** Sizes, counts and times that bound the endpoint. Default: see each limit. */
  limits?: Partial<HttpLimits>;
  /**
   * Serves the HTTP+SSE transport of 2024-11-05 too, on the same path and with the same guards. Default false.
   * @deprecated in the protocol as of 2025-03-26: use it only for clients that have no other transport.
   */
  httpSse?: boolean;
  /** Called with what is dropped or goes wrong outside a request. Default: not reported. */
  onError?: (error: Error) => void;
  /** The clock of all time limits. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/** The option `welcome` of an endpoint. */
export interface WelcomeOptions {
  /**
   * The URL of this endpoint as clients on the network write it, such as `"https://example.com/mcp"`. Default: the URL of `card`, else the
   * resource of `auth`, else the URL that the browser has opened, in which a host without a port counts as `https:`.
   */
  url?: string;
}

/** The option `sessions` of an endpoint. All times are in milliseconds. */
export interface HttpSessionOptions {
  /** The most sessions at the same time. Default 10 000; 503 above. */
  max?: number;
  /**
   * The most sessions of one principal at the same time, or of one client address if there is no principal (`clientAddress`). Default 100;
   * 429 above.
   */
  maxPerPrincipal?: number;
  /**
   * Milliseconds without a request or an open stream after which a session ends. Default 30 minutes. A session whose handshake
   * was never finished ends after a minute.
   */
  idle?: number;
  /** The most milliseconds that a session may last. Default 24 hours. */
  age?: number;
}

/** The option `streams` of an endpoint. All times are in milliseconds. */
export interface HttpStreamOptions {
  /** Milliseconds after which a response that is not ready becomes a stream. Default 500. */
  after?: number;
  /** Milliseconds between comments on a quiet stream, which show that it lives. Default 15 000. */
  keepAlive?: number;
  /** Milliseconds that a client should wait before it resumes a stream. Default 1 000. */
  retry?: number;
  /** The most streams that stay open by design: `subscriptions/listen`, and the GET streams of sessions. Default 1 024; 503 above. */
  max?: number;
  /** The most such streams of one principal, or of one client address if there is no principal (`clientAddress`). Default 50; 429 above. */
  maxPerPrincipal?: number;
}

/** The option `limits` of an endpoint; the limits of a connection hold for each session and each request without one. */
export interface HttpLimits extends ConnectionLimits {
  /** The most bytes of a request body. Default 4 MiB; 413 above. */
  maxBodyBytes: number;
  /** The most characters of a result. Default 16 Mi; -32603 above. */
  maxResultSize: number;
  /** The most requests that run at the same time, of all clients. Default 4 096; 503 above. */
  maxRunning: number;
  /**
   * Characters that may wait on a stream whose client does not read. Default 4 Mi; then the stream is cut. Also the bytes of responses
   * that may wait on a connection before further requests on the same connection are refused with 503; and the characters of messages that
   * one client of `httpSse` may have sent and the server has not received: 429 above, but one that waits alone is always accepted.
   */
  maxBuffered: number;
  /**
   * Milliseconds a client may read nothing while a stream or a response waits for it. Default 30 000; then its connection is cut.
   * Checked every `streams.keepAlive` milliseconds. A fetch handler hands JSON responses to its runtime and cannot cut those.
   */
  maxStalled: number;
  /**
   * Bytes of streams and responses that this process may hold for clients that have not read them. Default 256 MiB. Above, new
   * requests are refused with 503, large responses become errors, and streams that are not read are cut. All endpoints of the process
   * count together. A fetch handler hands JSON responses to its runtime: those do not count.
   */
  maxUnsent: number;
}

/** Options of `createFetchHandler`: the options of an endpoint, and where the client's address stands. */
export interface FetchHandlerOptions extends HttpOptions {
  /**
   * The address that tells clients without a principal apart for `sessions.maxPerPrincipal` and the other shares. It is the header that the
   * runtime or a proxy writes, such as `"cf-connecting-ip"` (of a list the last entry counts), or a function. Security: a `Request` does
   * not have the address of its client. Without this option clients without a principal have no share, and one of them can take all there is.
   */
  clientAddress?: ClientAddress<Request>;
}
