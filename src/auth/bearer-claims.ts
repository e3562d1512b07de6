/** What the claims of a token come to: those of a JWT (RFC 9068) and of an introspection answer (RFC 7662) are the same. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { VerifiedToken } from "./bearer-options.ts";
import { scopesIn } from "./scopes.ts";

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
