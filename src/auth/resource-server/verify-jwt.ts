/**
 * Access tokens that are JWTs (RFC 9068): whether the issuer signed them, and for now. Loaded with the first token.
 *
 * What they say is judged elsewhere, as for every other kind of token.
 */
import { decodeJwt, jwtVerify } from "jose";
import { AccessRefusedError } from "./judge-token.ts";
import { fromClaims, type VerifiedToken } from "./verified-token.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

export interface JwtOptions {
  readonly keys: ReadonlyMap<string, IssuerKeys>;
  readonly algorithms: readonly string[];
  /** Milliseconds. */
  readonly clockTolerance: number;
}

/**
 * Many issuers write `JWT`, or nothing. What says that it is something else (a proof, a grant, a logout token) is no access
 * token, whoever signed it. An ID token is told by its audience, which is the client.
 */
const TYPES: ReadonlySet<string> = new Set(["at+jwt", "jwt"]);

/** @throws AccessRefusedError, errors of `jose`: the token is not good; others: it cannot be told */
export async function verifyJwt(token: string, { keys, algorithms, clockTolerance }: JwtOptions): Promise<VerifiedToken> {
  // Not to be believed yet: it only says whose keys to look at, and there are none but those of our issuers.
  const { iss } = decodeJwt(token);
  const issuerKeys = typeof iss === "string" ? keys.get(iss) : undefined;
  if (issuerKeys === undefined) throw new AccessRefusedError("Access token refused: its issuer is not one of ours");
  const { payload, protectedHeader } = await jwtVerify(token, (header, input) => issuerKeys.find(header, input), {
    issuer: iss!, // there are keys of it
    algorithms: [...algorithms],
    clockTolerance: clockTolerance / 1_000,
    requiredClaims: ["exp"],
  });
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, "");
  if (type !== undefined && !TYPES.has(type))
    throw new AccessRefusedError('Access token refused: its "typ" is not that of an access token');
  return fromClaims(payload, iss!);
}
