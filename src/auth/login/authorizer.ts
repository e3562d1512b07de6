/**
 * The seam between an HTTP client and authorization: what signs a request, and what an answer's challenge is given to.
 *
 * The client knows no more than this; tokens, grants and discovery are behind it. Anything may be: a header from a vault,
 * mutual TLS with a proof, an authorization of one's own.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";

/** Header names in lower case, and values. */
export interface AuthorizationHeaders {
  readonly [name: string]: string;
}

/** One request to the server, as it is sent but for what the authorizer adds. The same object for each time it is sent. */
export interface RequestToSign {
  /** `GET`, `POST` or `DELETE`. */
  readonly method: string;
  /** Those it has already. */
  readonly headers: AuthorizationHeaders;
  /** JSON; absent where there is none. */
  readonly body?: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A response as far as an authorizer sees it. */
export interface ChallengeResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Found by name, in any case. `WWW-Authenticate` holds the challenge. */
  readonly headers: { get(name: string): string | null };
}

/** Authorizes the requests of one client to one server. */
export interface Authorizer {
  /**
   * The headers to add. Asked each time a request leaves, with the URL it leaves for: always of the server's origin.
   * @throws AuthorizationError where the request must not be sent; `request.signal.reason`
   */
  sign(request: RequestToSign, url: URL): MaybePromise<AuthorizationHeaders>;
  /**
   * Sees each response, before anybody else. True where it was a challenge that is settled: the request is then signed and
   * sent again, with the body it had. False leaves the response to the client.
   * @throws AuthorizationError for a challenge that cannot be settled; `request.signal.reason`
   */
  settle(response: ChallengeResponse, request: RequestToSign): MaybePromise<boolean>;
}

/** What `connect(url, { auth })` takes. It may serve any number of servers at the same time. */
export interface AuthProvider {
  /** What authorizes the requests to one server. @throws AuthorizationError for a server that must not be sent what this provides */
  authorizerFor(server: URL): Authorizer;
}
