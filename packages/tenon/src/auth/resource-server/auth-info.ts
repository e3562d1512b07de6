/** What a verified token says of its user: `ctx.auth` of handlers and middleware. */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** The identity and rights of a request's sender, by a verified token. */
export interface AuthInfo {
  /** The authorization server that issued the token. */
  readonly issuer: string;
  /** The user, or the client itself if there is no user. Unique for one issuer only. */
  readonly subject?: string | undefined;
  /** The client program of the user. */
  readonly clientId?: string | undefined;
  /** The scopes of the token, and the scopes that they include (option `scopeHierarchy`). */
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; absent if the token does not say. */
  readonly expiresAt?: number | undefined;
  /** All claims of the token or of its introspection. */
  readonly claims: JsonObject;
  /**
   * Returns the token itself. Security: it was issued for this server and must not be sent to any other. Use it only to exchange
   * it at its issuer for a token of another server (RFC 8693). It is not printed or serialised.
   */
  readonly dangerouslyGetToken?: () => string;
}

/** The principal as one string, unique for issuer, subject and client. States and credentials belong to a principal. */
export function principalOf({ issuer, subject, clientId }: AuthInfo): string {
  return JSON.stringify([issuer, subject ?? null, clientId ?? null]);
}

/**
 * The owner of sessions as one string: issuer and subject, so that a user's session goes on if the user's program registers again and has another
 * client id. Without a subject it is the client.
 */
export function sessionOwnerOf({ issuer, subject, clientId }: AuthInfo): string {
  return JSON.stringify(subject === undefined ? [issuer, null, clientId ?? null] : [issuer, subject]);
}
