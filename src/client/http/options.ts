/** What a client needs to know of a server that is reached over HTTP. */
import type { AuthProvider } from "../../auth/login/authorizer.ts";
import { assertAtLeast, assertDuration } from "../../dispatch/limits.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Fetch } from "./fetch.ts";

/** Header names and values. */
export interface HttpHeaders {
  readonly [name: string]: string;
}

/** A server at a URL. */
export interface HttpServerParameters {
  /** The MCP endpoint: `https:` or `http:`, without user name and password. */
  url: string | URL;
  /**
   * Sent with every request, or what makes them for each request. They never replace a header the protocol defines
   * (F3.8) and never leave the origin of `url`. Default: none.
   */
  headers?: HttpHeaders | (() => MaybePromise<HttpHeaders>);
  /**
   * Signs each request and settles the server's challenges: `oauth()`, `bearerToken()` and others of `tenon/auth`. What it
   * adds never leaves the origin of `url`, and replaces a header of the same name in `headers`. Default: the option of
   * `connect`.
   */
  auth?: AuthProvider;
  /** What sends the requests. Default: the runtime's own. It must not follow redirects by itself. */
  fetch?: Fetch;
  /** Sizes, counts and times that bound the connection. Default: see each limit. */
  limits?: Partial<HttpClientLimits>;
}

/** What bounds a connection over HTTP. Whatever is larger or slower fails with `LimitExceededError` or `ConnectionLostError`. */
export interface HttpClientLimits {
  /** Bytes of one response body or one event of a stream, after decompression. Default 16 MiB. */
  maxResponseBytes: number;
  /** Requests on their way at the same time; the next ones wait in line. Open `listen` streams do not count. Default 64. */
  maxConcurrentRequests: number;
  /** Milliseconds without a byte after which a stream that was kept alive before counts as lost. Default 60 000. */
  streamIdleTimeout: number;
}

const DEFAULT_LIMITS: HttpClientLimits = { maxResponseBytes: 16 * 1024 * 1024, maxConcurrentRequests: 64, streamIdleTimeout: 60_000 };

/** @throws RangeError for a limit that is none */
export function httpLimits({ limits: given = {} }: Pick<HttpServerParameters, "limits">): HttpClientLimits {
  const limits = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof HttpClientLimits)[]) {
    const value = given[name];
    if (value === undefined) continue;
    if (name === "streamIdleTimeout") assertDuration(`limits.${name}`, value);
    else assertAtLeast(`limits.${name}`, value, 1);
    limits[name] = value;
  }
  return limits;
}
