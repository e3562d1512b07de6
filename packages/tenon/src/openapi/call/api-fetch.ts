/** Requests to the API and the `fetch` that sends them, as users see them. */
import type { RequestContext } from "../../session/request-context.ts";
import type { AuthResponse, CheckedRequestInit } from "../../auth/web-fetch.ts";

/** A request to the API without its credentials. */
export interface ApiRequest {
  /** The method in upper case. */
  readonly method: string;
  /** The whole URL. */
  readonly url: string;
  /** Headers by name in lower case. */
  readonly headers: { readonly [name: string]: string };
  /** The body; absent if there is none. */
  readonly body?: string | Uint8Array;
}

/**
 * The `fetch` that calls an API. It must not follow redirects. The runtime's own is one. `context` is the call that the request is for;
 * it is undefined if the document itself is fetched.
 */
export type ApiFetch = (url: string, init: ApiRequestInit, context?: RequestContext) => Promise<ApiResponse>;

/** The request that is passed to {@link ApiFetch}. */
export interface ApiRequestInit extends CheckedRequestInit {}

/** The part of a response that is read. Every `Response` is one. */
export interface ApiResponse extends AuthResponse {}
