/**
 * What stands before an endpoint that is not for everyone: the option `auth` of a served endpoint.
 *
 * It sees the head of every HTTP request before its body is read, and either says who asks or how the request is refused.
 * `bearer()` makes one for OAuth; anything else that can tell who asks may be one too.
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

/** A request that is let in. The same object for every request with the same token, as far as that can be. */
export interface Authorized {
  /** What handlers see of it: `ctx.auth`. */
  readonly auth: AuthInfo;
  /** Whose sessions, streams and states it may use: {@link principalOf} of `auth`. */
  readonly principal: string;
  /** Until when, in milliseconds since 1970, a stream may stay open for it. `Infinity` for no end. */
  readonly until: number;
  /** Of the response, names and values in turn: a nonce for the next request, for example. */
  readonly headers?: readonly string[];
}

/** A request that is not. */
export interface Refusal {
  /** 400, 401 or 403; 429 or 503 with `Retry-After` where it is not the client's fault. */
  readonly status: number;
  /** Names and values in turn: the challenge. */
  readonly headers: readonly string[];
  /** What the client is told: nothing that would help it to guess. */
  readonly message: string;
  /** What the operator is told. Absent where there is nothing to tell: a client that has no token yet. */
  readonly reason?: Error;
}

/** Decides who may use an endpoint. Make one with `bearer()`, or write your own. */
export interface EndpointAuth {
  /** Decides on one request. What it throws or rejects with is reported to the operator, and the request refused. */
  authorize(request: AuthRequest): MaybePromise<Authorized | Refusal>;
  /** The refusal of a request that is let in but lacks some of these scopes, all of which its operation needs (M1.6). @throws TypeError */
  insufficientScope(scopes: readonly string[], auth: AuthInfo): Refusal;
  /** What everyone may read, and at which paths: the protected resource metadata of RFC 9728. */
  readonly metadata?: PublicDocument;
}

/** A JSON document that everyone may read without a token. */
export interface PublicDocument {
  /** Absolute paths, without a query. */
  readonly paths: readonly string[];
  /** What is there, whoever asks. */
  readonly document: JsonObject;
}
