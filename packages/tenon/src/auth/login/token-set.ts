/** Converts a token response to the record that is stored: the tokens, their scope, and when to replace them. */
import type { TokenSet } from "./credentials.ts";
import type { GrantContext, ObtainedTokens } from "./grant.ts";
import type { Scope } from "../scope.ts";

/** Milliseconds before expiry at which a token is replaced. A short-lived token is replaced after half its time. */
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

/** The scope of a token: the granted one, or else the requested one (RFC 6749 section 5.1). */
export function grantedTo({ scope, requested }: TokenSet): Scope | undefined {
  return scope ?? requested;
}
