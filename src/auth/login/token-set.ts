/** The answer of a token endpoint as it is kept: whose tokens they are, what they allow, and when to replace them. */
import type { TokenSet } from "./credentials.ts";
import type { GrantContext, ObtainedTokens } from "./grant.ts";
import type { Scope } from "../scope.ts";

/** Milliseconds before a token expires at which it is replaced; for short-lived ones, after half their time. */
const MARGIN = 5 * 60_000;

export function toTokenSet(
  { issuer, resource, dpop }: GrantContext,
  { client, response }: ObtainedTokens,
  scopes: Pick<TokenSet, "scope" | "requested">,
): TokenSet {
  const { accessToken, tokenType, refreshToken, lifetime } = response;
  const now = Date.now();
  return {
    issuer: issuer.metadata.issuer,
    resource,
    clientId: client.id,
    accessToken,
    tokenType,
    refreshToken,
    expiresAt: lifetime === undefined ? undefined : now + lifetime,
    renewAt: lifetime === undefined ? undefined : now + lifetime - Math.min(MARGIN, lifetime / 2),
    ...scopes,
    dpopKey: dpop === undefined ? undefined : { ...dpop.jwk }, // a JWK is JSON
  };
}

/** What a token may be used for: what was granted, or else what was asked for (RFC 6749 section 5.1). */
export function grantedTo({ scope, requested }: TokenSet): Scope | undefined {
  return scope ?? requested;
}
