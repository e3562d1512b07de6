/** Options of a server that is reached over HTTP. */
import type { AuthProvider } from "../../auth/login/authorizer.ts";
import type { OptionKeys } from "../../base/known-options.ts";
import { withPresets, type NumberTable } from "../../base/number-options.ts";
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
   * Headers of every request, or a function that makes them for each request. They never replace a header that the protocol
   * defines and are never sent to another origin than the origin of `url`. Default: none.
   */
  headers?: HttpHeaders | (() => MaybePromise<HttpHeaders>);
  /**
   * Signs each request and settles the server's challenges: `oauth()`, `bearerToken()` and others of `tenon/auth`. Its headers
   * are never sent to another origin than the origin of `url`, and replace headers of the same name in `headers`. Default: the option
   * of `connect`.
   */
  auth?: AuthProvider;
  /**
   * Sends the requests. Security: it must not follow redirects by itself. Default: the runtime's `fetch`; on Node undici, which does
   * the same and is faster, unless the program has replaced `fetch`, set a dispatcher, or uses a proxy (docs/clients/http.md).
   */
  fetch?: Fetch;
  /** Sizes, counts and times that bound the connection. Default: see each limit. */
  limits?: Partial<HttpClientLimits>;
}

/** Limits of a connection over HTTP. Beyond a limit a call fails with `LimitExceededError` or `ConnectionLostError`. */
export interface HttpClientLimits {
  /** Bytes of one response body or one event of a stream, after decompression. Default 16 MiB. */
  maxResponseBytes: number;
  /** Requests that are pending at the same time; further ones wait in line. Open `listen` streams do not count. Default 64. */
  maxConcurrentRequests: number;
  /** Milliseconds without a byte after which a stream counts as lost, if the server has sent keep-alive comments on it. Default 60 000. */
  streamIdleTimeout: number;
  /**
   * Characters of messages that may wait on the transport of 2024-11-05 while the server does not accept the client's responses. Default
   * 64 Mi; then the connection ends with `LimitExceededError`. A message that waits alone is always accepted.
   */
  maxWaiting: number;
}

const LIMITS: NumberTable<HttpClientLimits> = {
  maxResponseBytes: [16_777_216, 1],
  maxConcurrentRequests: [64, 1],
  streamIdleTimeout: [60_000, 0, "ms"],
  maxWaiting: [67_108_864, 1],
};

export const HTTP_SERVER_KEYS: OptionKeys<HttpServerParameters> = { url: 1, headers: 1, auth: 1, fetch: 1, limits: LIMITS };

/** @throws RangeError if a limit is out of range */
export function httpLimits({ limits }: Pick<HttpServerParameters, "limits">): HttpClientLimits {
  return withPresets(LIMITS, limits, "limits");
}
