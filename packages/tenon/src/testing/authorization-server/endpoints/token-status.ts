/** Introspection (RFC 7662) and revocation (RFC 7009) of the tokens that this server issued. */
import { authenticateClient } from "../clients/client-authentication.ts";
import { assertForm, json, type EndpointResponse, type Exchange } from "../exchange.ts";
import { accessTokenClaims } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import type { AccessToken, ServerState } from "../state.ts";

/** Only authenticated clients may introspect. An invalid token and an unknown token get the same response. */
export async function handleIntrospection(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  assertForm(exchange);
  const client = await authenticateClient(state, exchange);
  if (client.authentication === "none") throw new OAuthError("invalid_client", "A public client must not introspect tokens", 401);
  const text = exchange.parameters.required("token");
  const found = await findAccessToken(state, text);
  if (found !== undefined && !found.token.grant.revoked) {
    const type = found.token.key === undefined ? "Bearer" : "DPoP";
    return json(200, { active: true, token_type: type, ...accessTokenClaims(state, found.name, found.token) });
  }
  return json(200, { active: false });
}

/** Revoking a refresh token revokes its grant. A token of another client, or an unknown token, is not an error. */
export async function handleRevocation(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  assertForm(exchange);
  const client = await authenticateClient(state, exchange);
  const text = exchange.parameters.required("token");
  const refreshToken = state.refreshTokens.get(text);
  if (refreshToken?.grant.clientId === client.id) refreshToken.grant.revoked = true;
  const access = await findAccessToken(state, text);
  if (access !== undefined && access.token.grant.clientId === client.id) state.accessTokens.take(access.name);
  return { status: 200 };
}

async function findAccessToken(state: ServerState, text: string): Promise<{ name: string; token: AccessToken } | undefined> {
  // A JWT is stored under its `jti`, and only its signature is checked here.
  const name = text.includes(".") ? (await state.keys.verify(text, "at+jwt"))?.jti : text;
  const token = name === undefined ? undefined : state.accessTokens.get(name);
  return name === undefined || token === undefined ? undefined : { name, token };
}
