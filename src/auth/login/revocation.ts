/** Tells an issuer that a token is not needed any more (RFC 7009). Best effort: the token is forgotten here in any case. */
import type { TokenSet } from "./credentials.ts";
import type { GrantContext } from "./grant.ts";
import { clientAuthOf, type OAuthClient } from "./oauth-client.ts";

/** Revokes the refresh token, and with it the access token, or else the access token. @returns whether the issuer confirmed */
export async function revoke(at: GrantContext, client: OAuthClient, tokens: TokenSet): Promise<boolean> {
  const url = at.issuer.metadata.revocation_endpoint;
  if (url === undefined) return false;
  const { allowInsecureRequests, customFetch, revocationRequest } = await import("oauth4webapi");
  const { refreshToken, accessToken } = tokens;
  let status = 0;
  await revocationRequest(
    { ...at.issuer.metadata },
    { client_id: client.id ?? "none" },
    await clientAuthOf(client),
    refreshToken ?? accessToken,
    {
      signal: at.signal,
      additionalParameters: { token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token" },
      [allowInsecureRequests]: true, // what may be called is for the URL policy to say
      [customFetch]: async (address: string, { headers, body }: { headers: Record<string, string>; body: URLSearchParams }) => {
        ({ status } = await at.documents.json(address, {
          hop: "token",
          method: "POST",
          headers,
          body: body.toString(),
          signal: at.signal,
        }));
        return new Response();
      },
    },
  );
  return status === 200;
}
