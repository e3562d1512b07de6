/**
 * Exchanges refresh tokens. With rotation each is valid once: a second use means that the token was stolen, so the grant is revoked
 * (OAuth 2.1 section 4.3.1).
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { accessTokenResponse, issueRefreshToken } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import { resourcesWithin, scopesWithin } from "../tokens/permissions.ts";
import type { ServerState } from "../state.ts";
import type { TokenRequest } from "./grant.ts";

export async function refresh(state: ServerState, { client, exchange, key }: TokenRequest): Promise<JsonObject> {
  const { parameters } = exchange;
  const token = state.refreshTokens.get(parameters.required("refresh_token"));
  if (token === undefined || token.grant.clientId !== client.id) throw invalid("is unknown, too old, or another client's");
  const { grant } = token;
  if (grant.revoked) throw invalid("was revoked");
  const rotates = state.settings.refreshTokens === "rotate";
  if (token.used && rotates) {
    grant.revoked = true;
    throw invalid("was used before: everything that came of its grant is revoked");
  }
  if (token.key !== undefined && token.key !== key) throw invalid("is bound to another key");
  const issue = { grant, key, scopes: scopesWithin(grant, parameters), resources: resourcesWithin(state, grant, parameters) };
  token.used = true;
  const response = await accessTokenResponse(state, issue);
  return rotates ? { ...response, refresh_token: issueRefreshToken(state, grant, client, key) } : response;
}

function invalid(why: string): OAuthError {
  return new OAuthError("invalid_grant", `The refresh token ${why}`);
}
