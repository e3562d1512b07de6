/**
 * Exchanges an authorization code for tokens. A code is valid once, for the client, redirect URI, verifier and resources of its request.
 * A second use revokes the tokens of the first (RFC 6749 section 4.1.2).
 */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { issueIdToken, refreshableResponse } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import { resourcesWithin } from "../tokens/permissions.ts";
import { hashed } from "../../../base/hash.ts";
import type { AuthorizationCode, ServerState } from "../state.ts";
import type { TokenRequest } from "./grant.ts";

export async function exchangeCode(state: ServerState, request: TokenRequest): Promise<JsonObject> {
  const { parameters } = request.exchange;
  const verifier = parameters.required("code_verifier");
  const challenge = await hashed(verifier);
  const code = state.codes.get(parameters.required("code"));
  const resources = use(state, code, request, { verifier, challenge });
  const { grant } = code!; // `use` has checked it
  const response = await refreshableResponse(state, { grant, scopes: grant.scopes, resources, key: request.key }, request.client);
  if (!grant.scopes.includes("openid")) return response;
  return { ...response, id_token: await issueIdToken(state, request.client, grant) };
}

/** Checks the code and marks it as used in the same turn, so that only one of two concurrent requests gets tokens. */
function use(
  state: ServerState,
  code: AuthorizationCode | undefined,
  { client, key, exchange: { parameters } }: TokenRequest,
  { verifier, challenge }: { readonly verifier: string; readonly challenge: string },
): readonly string[] {
  if (code === undefined || code.grant.clientId !== client.id) throw invalid("is unknown, too old, or another client's");
  if (parameters.required("redirect_uri") !== code.redirectUri) throw invalid("was sent to another redirect URI");
  if (!/^[\w.~-]{43,128}$/.test(verifier))
    throw new OAuthError("invalid_request", '"code_verifier" must have 43 to 128 unreserved characters');
  if (challenge !== code.challenge) throw invalid('was asked for with another "code_verifier"');
  if (code.key !== undefined && code.key !== key) throw invalid("is bound to another key");
  if (code.used) {
    code.grant.revoked = true;
    throw invalid("was used before: the tokens it was exchanged for are revoked");
  }
  const resources = resourcesWithin(state, code.grant, parameters);
  code.used = true;
  return resources;
}

function invalid(why: string): OAuthError {
  return new OAuthError("invalid_grant", `The code ${why}`);
}
