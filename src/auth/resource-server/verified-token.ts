/**
 * What is known of a token that was verified, and what its claims come to: those of a JWT (RFC 9068) and of an introspection
 * answer (RFC 7662) are the same.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { scopesIn } from "../scope.ts";

/** What a verifier says of a token. It is held to the issuer, the audience, the time and the scopes afterwards. */
export interface VerifiedToken {
  /** Default: the issuer, where there is only one. */
  readonly issuer?: string | undefined;
  /** Whom the token was issued for. Security: a token without it is refused (R14). */
  readonly audience: string | readonly string[];
  /** At least one of `subject` and `clientId` is needed: without, two clients could not be told apart. */
  readonly subject?: string | undefined;
  /** The client the token was issued to. */
  readonly clientId?: string | undefined;
  /** What it may do. Default: nothing that needs a scope. */
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds since 1970. Default: it never expires. */
  readonly expiresAt?: number | undefined;
  /** Everything else. A `cnf` says that the token is bound to a key, and is held to it. */
  readonly claims?: JsonObject | undefined;
}

/** Claims of another type than theirs count as missing. */
export function fromClaims(claims: JsonObject, issuer: string): VerifiedToken {
  const { iss, sub, aud, exp, client_id: clientId, azp, scope, scp } = claims;
  return {
    issuer: text(iss) ?? issuer,
    audience: [aud].flat().filter((name) => typeof name === "string"),
    subject: text(sub),
    // `azp` and `scp` are what large issuers write instead.
    clientId: text(clientId) ?? text(azp),
    scopes: scopesIn(scope ?? scp),
    expiresAt: exp === undefined ? undefined : typeof exp === "number" ? exp * 1_000 : Number.NaN,
    claims,
  };
}

function text(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}
