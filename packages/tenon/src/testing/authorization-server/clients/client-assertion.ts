/** `private_key_jwt`: a client authenticates with a signature (RFC 7523 section 3, OpenID Connect section 9). */
import { createLocalJWKSet, jwtVerify } from "jose";
import type { RegisteredClient } from "./client-metadata.ts";
import { OAuthError } from "../oauth-error.ts";
import type { ServerState } from "../state.ts";

/** Algorithms for assertions and proofs: asymmetric only. */
export const ASSERTION_ALGORITHMS: readonly string[] = ["ES256", "ES384", "RS256", "PS256", "EdDSA", "Ed25519"];
/** The longest validity of an assertion in milliseconds. Its `jti` is kept that long. */
const MAX_LIFETIME = 3_600_000;
/** Seconds by which another clock may differ. */
export const CLOCK_TOLERANCE = 60;

/** @throws OAuthError `invalid_client` */
export async function verifyClientAssertion(state: ServerState, client: RegisteredClient, assertion: string): Promise<void> {
  if (client.jwks === undefined) throw invalid("the client has no keys");
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks), {
    algorithms: [...ASSERTION_ALGORITHMS],
    issuer: client.id,
    subject: client.id,
    audience: [state.issuer, state.urls.token],
    currentDate: new Date(state.clock()),
    clockTolerance: CLOCK_TOLERANCE,
    requiredClaims: ["exp", "jti"],
  }).catch((error: Error) => {
    throw invalid(error.message);
  });
  if (payload.exp! * 1_000 > state.clock() + MAX_LIFETIME) throw invalid("it lives for more than an hour");
  if (!state.usedAssertions.claim(`${client.id} ${payload.jti}`, true, MAX_LIFETIME)) throw invalid("it was used before");
}

function invalid(why: string): OAuthError {
  return new OAuthError("invalid_client", `The client's assertion is invalid: ${why}`, 401);
}
