/** Revokes a token at its issuer (RFC 7009). The token is forgotten locally in any case. */
import type { TokenSet } from "./credentials.ts";
import type { GrantContext } from "./grant.ts";
import { clientAuthOf, type OAuthClient } from "./oauth-client.ts";
import { oauthRequest } from "./oauth-request.ts";

/** Revokes the refresh token, which revokes the access token too, or else the access token. @returns whether the issuer confirmed */
export async function revoke(at: GrantContext, client: OAuthClient, tokens: TokenSet): Promise<boolean> {
  const url = at.issuer.metadata.revocation_endpoint;
  if (url === undefined) return false;
  const { revocationRequest } = await import("oauth4webapi");
  const { refreshToken, accessToken } = tokens;
  const sender = { client_id: client.id ?? "none" };
  const authenticate = await clientAuthOf(client);
  const additionalParameters = { token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token" };
  const { status } = await oauthRequest(at.documents, {
    hop: "token",
    signal: at.signal,
    send: (options) =>
      revocationRequest({ ...at.issuer.metadata }, sender, authenticate, refreshToken ?? accessToken, { ...options, additionalParameters }),
  });
  return status === 200;
}
