/** Verifies assertions of trusted issuers (RFC 7523 section 3). */
import { createLocalJWKSet, jwtVerify, type JWTPayload } from "jose";
import { ASSERTION_ALGORITHMS, CLOCK_TOLERANCE } from "../clients/client-assertion.ts";
import { OAuthError } from "../oauth-error.ts";
import type { TrustedIssuer } from "../options.ts";
import type { ServerState } from "../state.ts";

export interface AssertionRules {
  readonly issuers: readonly TrustedIssuer[];
  readonly audience: readonly string[];
  readonly typ?: string;
  readonly requiredClaims: readonly string[];
}

/** The longest validity of an assertion in milliseconds. Its `jti` is kept that long. */
const MAX_LIFETIME = 3_600_000;

/** Verifies an assertion, which is valid once, and returns its claims. @throws OAuthError `invalid_grant` */
export async function verifyAssertion(
  state: ServerState,
  assertion: string,
  issuer: string | undefined,
  rules: AssertionRules,
): Promise<JWTPayload> {
  const trusted = rules.issuers.find((candidate) => candidate.issuer === issuer);
  if (trusted === undefined) throw invalid("its issuer is not trusted");
  const jwks = typeof trusted.jwks === "function" ? await trusted.jwks() : trusted.jwks;
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(jwks), {
    algorithms: [...ASSERTION_ALGORITHMS],
    issuer: trusted.issuer,
    audience: [...rules.audience],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(state.clock()),
    requiredClaims: [...rules.requiredClaims],
    ...(rules.typ !== undefined && { typ: rules.typ }),
  }).catch((error: Error) => {
    throw invalid(error.message);
  });
  if (Array.isArray(payload.aud) && payload.aud.length > 1) throw invalid("it is for others too");
  if (payload.exp! * 1_000 > state.clock() + MAX_LIFETIME) throw invalid("it lives for more than an hour");
  const name = payload.jti ?? assertion;
  if (!state.usedAssertions.claim(`${trusted.issuer} ${name}`, true, MAX_LIFETIME + CLOCK_TOLERANCE * 1_000))
    throw invalid("it was used before");
  return payload;
}

export function invalid(why: string): OAuthError {
  return new OAuthError("invalid_grant", `The assertion is invalid: ${why}`);
}
