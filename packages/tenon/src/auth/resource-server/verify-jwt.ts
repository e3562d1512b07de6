/**
 * Verifies access tokens that are JWTs (RFC 9068): signature, issuer and time. Loaded with the first token.
 *
 * `judge-token.ts` checks the other claims.
 */
import { decodeJwt, jwtVerify } from "jose";
import { acceptedIssuer, AccessRefusedError, unknownIssuerError } from "./judge-token.ts";
import { fromClaims, type VerifiedToken } from "./verified-token.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

export interface JwtOptions {
  readonly keys: ReadonlyMap<string, IssuerKeys>;
  readonly algorithms: readonly string[];
  /** Milliseconds. */
  readonly clockTolerance: number;
}

/**
 * Accepted `typ` headers; many issuers write `JWT`, or nothing. A JWT of another type (a proof, a grant, a logout token) is not
 * an access token, even if it is well signed. An ID token is refused by its audience, which is the client.
 */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "jwt"]);

/** @throws AccessRefusedError or errors of `jose` if the token is invalid; other errors if it cannot be verified */
export async function verifyJwt(token: string, { keys, algorithms, clockTolerance }: JwtOptions): Promise<VerifiedToken> {
  // Not verified yet: it only selects among the keys of the accepted issuers.
  const { iss } = decodeJwt(token);
  const accepted = typeof iss === "string" ? acceptedIssuer(iss, [...keys.keys()]) : undefined;
  const issuerKeys = accepted === undefined ? undefined : keys.get(accepted);
  if (issuerKeys === undefined) throw unknownIssuerError(iss, [...keys.keys()]);
  const { payload, protectedHeader } = await jwtVerify(token, (header, input) => issuerKeys.find(header, input), {
    issuer: iss!, // it has keys
    algorithms: [...algorithms],
    clockTolerance: clockTolerance / 1_000,
    requiredClaims: ["exp"],
  });
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, "");
  if (type !== undefined && !TYPES.has(type))
    throw new AccessRefusedError('Access token refused: its "typ" is not the type of an access token');
  return fromClaims(payload, iss!);
}
