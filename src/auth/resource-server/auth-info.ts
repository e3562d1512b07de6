/** Who asks, as a token says it and its verifier has made sure of: `ctx.auth` of handlers and middleware. */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** What is known of whoever sent a request, once their token was found good. */
export interface AuthInfo {
  /** The authorization server that vouches for it. */
  readonly issuer: string;
  /** The user, or the client itself where there is no user. Unique for one issuer only. */
  readonly subject?: string | undefined;
  /** The program the user works with. */
  readonly clientId?: string | undefined;
  /** What the token allows, together with what those scopes include (option `scopeHierarchy`). */
  readonly scopes: readonly string[];
  /** Milliseconds since 1970; absent where the token does not say. */
  readonly expiresAt?: number | undefined;
  /** Everything the token, or whoever was asked about it, says. */
  readonly claims: JsonObject;
  /**
   * The token itself. Security: it was issued for this server and must not be sent to any other (M1.4); the one use is to
   * exchange it at its issuer for a token of the other server's (RFC 8693). It is no part of what is printed or serialised.
   */
  readonly dangerouslyGetToken?: () => string;
}

/** A principal as one string: no two different ones have the same. Sessions, streams and states belong to it (R4). */
export function principalOf({ issuer, subject, clientId }: AuthInfo): string {
  return JSON.stringify([issuer, subject ?? null, clientId ?? null]);
}
