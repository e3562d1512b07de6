/** The client credentials grant (RFC 6749 section 4.4): a client acts for itself. It needs credentials and gets no refresh token. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { accessTokenResponse } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";
import type { ServerState } from "../state.ts";
import type { TokenRequest } from "./grant.ts";

export async function grantToClient(state: ServerState, { client, exchange, key }: TokenRequest): Promise<JsonObject> {
  if (client.authentication === "none") throw new OAuthError("unauthorized_client", "A public client has no credentials to ask with");
  const scopes = allowedScopes(state, exchange.parameters);
  const resources = allowedResources(state, exchange.parameters);
  const grant = { clientId: client.id, subject: client.id, scopes, resources, revoked: false };
  return accessTokenResponse(state, { grant, scopes, resources, key });
}
