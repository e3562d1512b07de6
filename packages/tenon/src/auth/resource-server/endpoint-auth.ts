/**
 * The option `auth` of a served endpoint: decides who may use it.
 *
 * It sees the head of every HTTP request before the body is read, and returns the sender's identity or a refusal.
 * `bearer()` makes one for OAuth; users may write their own.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "./auth-info.ts";

/** The head of an HTTP request. */
export interface AuthRequest {
  /** `GET`, `POST`, `DELETE` or any other. */
  readonly method: string;
  /** Path and query, or an absolute URL. */
  readonly url: string;
  /** The value of a header by its lower-case name; several values are joined with a comma. */
  header(name: string): string | undefined;
}

/** An accepted request. It is the same object for requests with the same token, if possible. */
export interface Authorized {
  /** The identity that handlers see as `ctx.auth`. */
  readonly auth: AuthInfo;
  /** The principal whose states and credentials it may use: {@link principalOf} of `auth`. */
  readonly principal: string;
  /**
   * Whose sessions it may use, with their streams. `bearer()` sets it to the issuer and the subject, so that a user keeps a session if the user's
   * program gets another client id. Default: `principal`.
   */
  readonly sessionOwner?: string;
  /** Until when its streams may stay open, in milliseconds since 1970. `Infinity` for no end. */
  readonly until: number;
  /** Aborts when the credentials are revoked before that: its streams end then. Default: never. */
  readonly ended?: AbortSignal;
  /** Headers of the response, names and values in turn, for example a nonce for the next request. */
  readonly headers?: readonly string[];
}

/** A refused request. */
export interface Refusal {
  /** The HTTP status: 400, 401 or 403; 429 or 503 with `Retry-After` if it is not the client's fault. */
  readonly status: number;
  /** The challenge: header names and values in turn. */
  readonly headers: readonly string[];
  /** The message for the client. Security: it must not help an attacker to guess. */
  readonly message: string;
  /** The error that is reported to the operator. Absent if there is nothing to report, such as for a client without a token. */
  readonly reason?: Error;
}

/** Decides who may use an endpoint. Make one with `bearer()`, or write your own. */
export interface EndpointAuth {
  /** Decides on one request. If it throws or rejects, the error is reported to the operator and the request is refused. */
  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal>;
  /**
   * Whether the credentials of a request are of the kind that this one judges, whatever they are worth; false without credentials. Only
   * `anyOf()` asks. Default: never.
   */
  takes?(request: AuthRequest): boolean;
  /**
   * Whether exactly these credentials were accepted before, so that they need not be looked at again to know whose they are; false if it cannot
   * be told at once. Only `anyOf()` asks, before `takes()`. Default: never.
   */
  knows?(request: AuthRequest): boolean;
  /** Makes the refusal of an accepted request whose operation needs all of these scopes and lacks some. @throws TypeError */
  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal;
  /** The document that everyone may read, and its paths: the protected resource metadata of RFC 9728. */
  readonly metadata?: PublicDocument;
}

/** A JSON document that everyone may read without a token. */
export interface PublicDocument {
  /** Absolute paths, without a query. */
  readonly paths: readonly string[];
  /** The document, the same for all clients. */
  readonly document: JsonObject;
}
