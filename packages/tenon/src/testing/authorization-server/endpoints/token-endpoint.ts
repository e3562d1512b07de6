/** The token endpoint: finds the grant, the client and its key. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { authenticateClient } from "../clients/client-authentication.ts";
import { assertBound, provenKey } from "../tokens/dpop.ts";
import { assertForm, json, type EndpointResponse, type Exchange } from "../exchange.ts";
import { DEVICE_CODE, JWT_BEARER, TOKEN_EXCHANGE, type TokenRequest } from "../grants/grant.ts";
import { exchangeCode } from "../grants/authorization-code.ts";
import { exchangeDeviceCode } from "../grants/device-code.ts";
import { exchangeAssertion } from "../grants/jwt-bearer.ts";
import { refresh } from "../grants/refresh-token.ts";
import { exchangeToken } from "../grants/token-exchange.ts";
import { OAuthError } from "../oauth-error.ts";
import type { ServerState } from "../state.ts";
import { accessTokenResponse } from "../tokens/issue-tokens.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";

/** Issues tokens. @throws OAuthError */
type GrantHandler = (state: ServerState, request: TokenRequest) => Promise<JsonObject>;

/** Grants that need an authenticated client. An assertion may need none. */
const GRANTS: ReadonlyMap<string, GrantHandler> = new Map([
  ["authorization_code", exchangeCode],
  ["refresh_token", refresh],
  ["client_credentials", grantToClient],
  [DEVICE_CODE, exchangeDeviceCode],
  [TOKEN_EXCHANGE, exchangeToken],
]);

export async function handleToken(state: ServerState, exchange: Exchange): Promise<EndpointResponse> {
  assertForm(exchange);
  const type = exchange.parameters.required("grant_type");
  const { grantTypes } = state.settings;
  if (!grantTypes.includes(type) || !(type === JWT_BEARER || GRANTS.has(type))) {
    throw new OAuthError("unsupported_grant_type", `This server has no grant ${JSON.stringify(type)} but ${grantTypes.join(", ")}`);
  }
  const key = await provenKey(state, exchange);
  if (type === JWT_BEARER) return json(200, await exchangeAssertion(state, exchange, key));
  const client = await authenticateClient(state, exchange);
  if (!client.grantTypes.includes(type)) throw new OAuthError("unauthorized_client", `The client has not registered the grant "${type}"`);
  if (type !== TOKEN_EXCHANGE) assertBound(state, client.dpopBound, key);
  return json(200, await GRANTS.get(type)!(state, { client, exchange, key }));
}

export async function grantToClient(state: ServerState, { client, exchange, key }: TokenRequest): Promise<JsonObject> {
  if (client.authentication === "none") throw new OAuthError("unauthorized_client", "A public client has no credentials to ask with");
  const scopes = allowedScopes(state, exchange.parameters);
  const resources = allowedResources(state, exchange.parameters);
  const grant = { clientId: client.id, subject: client.id, scopes, resources, revoked: false };
  return accessTokenResponse(state, { grant, scopes, resources, key });
}
