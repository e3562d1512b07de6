/**
 * The result of verifying a token, and how claims are read. The claims of a JWT (RFC 9068) and of an introspection response
 * (RFC 7662) are the same.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { scopesIn } from "../scope.ts";

/** The result of a verifier. `bearer()` checks issuer, audience, time and scopes afterwards. */
export interface VerifiedToken {
  /** Default: the option `issuer`, if it names only one. */
  readonly issuer?: string | undefined;
  /** The audience of the token. Security: a token without it is refused. */
  readonly audience: string | readonly string[];
  /** The user. At least one of `subject` and `clientId` is required, to tell clients apart. */
  readonly subject?: string | undefined;
  /** The client the token was issued to. */
  readonly clientId?: string | undefined;
  /** The scopes of the token. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds since 1970. Default: it never expires. */
  readonly expiresAt?: number | undefined;
  /** All other claims. A `cnf` binds the token to a key. */
  readonly claims?: JsonObject | undefined;
}

/** Reads claims. A claim of a wrong type counts as missing. */
export function fromClaims(claims: JsonObject, issuer: string): VerifiedToken {
  const { iss, sub, aud, exp, client_id: clientId, azp, scope, scp } = claims;
  return {
    issuer: text(iss) ?? issuer,
    audience: [aud].flat().filter((name) => typeof name === "string"),
    subject: text(sub),
    // Some large issuers write `azp` and `scp` instead.
    clientId: text(clientId) ?? text(azp),
    scopes: scopesIn(scope ?? scp),
    expiresAt: exp === undefined ? undefined : typeof exp === "number" ? exp * 1_000 : Number.NaN,
    claims,
  };
}

function text(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}
