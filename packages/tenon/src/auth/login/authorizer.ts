/**
 * The interface between an HTTP client and authorization: it signs requests and settles challenges.
 *
 * The client knows no more than this. Tokens, grants and discovery are behind it. A custom implementation may take a header
 * from a vault, or use mutual TLS.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** Header names in lower case, and values. */
export interface AuthorizationHeaders {
  readonly [name: string]: string;
}

/** One request to the server, without the authorizer's headers. It is the same object each time the request is sent. */
export interface RequestToSign {
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** The headers it has already. */
  readonly headers: AuthorizationHeaders;
  /** JSON; absent if there is no body. */
  readonly body?: string;
  /** Aborts when the caller abandons the request. */
  readonly signal: AbortSignal;
}

/** The part of a response that an authorizer sees. */
export interface ChallengeResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Headers by name, case-insensitively. `WWW-Authenticate` holds the challenge. */
  readonly headers: { get(name: string): string | null };
}

/** How a challenge is settled. */
export interface SettleOptions {
  /**
   * Whether no user may be asked: a token may be refreshed, but no page is opened. The refusal may be about a session that the server
   * has forgotten. Default false.
   */
  readonly silent?: boolean;
}

/** Authorizes the requests of one client to one server. */
export interface Authorizer {
  /**
   * Returns the headers to add. It is called each time a request is sent, with its URL, which always has the server's origin.
   * @throws AuthorizationError if the request must not be sent; `request.signal.reason`
   */
  sign(request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders>;
  /**
   * Sees each response first. Returns true if it settled a challenge: the client then signs and sends the request again, with the
   * same body. Returns false to leave the response to the client.
   * @throws AuthorizationError if the challenge cannot be settled; `request.signal.reason`
   */
  settle(response: ChallengeResponse, request: RequestToSign, options?: SettleOptions): MaybePromise<boolean>;
}

/** The option `auth` of `connect()`. One provider may serve any number of servers at the same time. */
export interface AuthProvider {
  /** Returns the authorizer for one server. @throws AuthorizationError if the server must not get these credentials */
  authorizerFor(server: URL): Authorizer;
}
