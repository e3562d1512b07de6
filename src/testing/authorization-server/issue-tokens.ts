/** Makes tokens: access tokens as JWTs (RFC 9068) or as names, refresh tokens, ID tokens. */
import type { JWTPayload } from "jose";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { randomId } from "../../server/http/random-id.ts";
import type { Client } from "./client-metadata.ts";
import { newSecret, type AccessToken, type Grant, type ServerState } from "./state.ts";

/** What a token is made for. */
export interface Issue {
  readonly grant: Grant;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
}

/** The answer of the token endpoint with an access token alone. */
export async function accessTokenAnswer(state: ServerState, issue: Issue): Promise<JsonObject> {
  const { grant, scopes } = issue;
  return {
    access_token: await issueAccessToken(state, issue),
    token_type: grant.keyThumbprint === undefined ? "Bearer" : "DPoP",
    expires_in: Math.floor(state.settings.accessTokenLifetime / 1_000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}

/** The same with a refresh token where the client registered for them. */
export async function refreshableAnswer(state: ServerState, issue: Issue, client: Client): Promise<JsonObject> {
  const { settings } = state;
  const answer = await accessTokenAnswer(state, issue);
  if (settings.refreshTokens === "never" || !client.grantTypes.includes("refresh_token")) return answer;
  return { ...answer, refresh_token: issueRefreshToken(state, issue.grant) };
}

export function issueRefreshToken(state: ServerState, grant: Grant): string {
  const token = newSecret();
  state.refreshTokens.set(token, { grant, used: false }, state.settings.refreshTokenLifetime);
  return token;
}

async function issueAccessToken(state: ServerState, { grant, scopes, resources }: Issue): Promise<string> {
  const { settings } = state;
  const audience = resources.length > 0 ? resources : [settings.defaultAudience ?? state.issuer];
  const lifetime = settings.accessTokenLifetime;
  const issued = state.clock();
  const token: AccessToken = { grant, scopes, audience, issued, expires: issued + lifetime };
  const name = settings.accessTokens === "jwt" ? randomId() : newSecret();
  state.accessTokens.set(name, token, lifetime);
  return settings.accessTokens === "jwt" ? state.keys.sign("at+jwt", accessTokenClaims(state, name, token)) : name;
}

/** RFC 9068 section 2.2; also what introspection tells (RFC 7662 section 2.2). */
export function accessTokenClaims({ issuer }: ServerState, name: string, token: AccessToken): JWTPayload {
  const { grant, scopes, audience } = token;
  return {
    iss: issuer,
    sub: grant.subject,
    aud: audience.length === 1 ? audience[0]! : [...audience],
    exp: Math.floor(token.expires / 1_000),
    iat: Math.floor(token.issued / 1_000),
    jti: name,
    ...(grant.clientId !== undefined && { client_id: grant.clientId }),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    ...(grant.keyThumbprint !== undefined && { cnf: { jkt: grant.keyThumbprint } }),
  };
}

/** OpenID Connect section 2, for a client that asked for the scope `openid`. */
export function issueIdToken(state: ServerState, client: Client, { subject, nonce }: Grant): Promise<string> {
  const lifetime = Math.floor(state.settings.accessTokenLifetime / 1_000);
  return state.keys.sign("JWT", {
    iss: state.issuer,
    sub: subject,
    aud: client.id,
    iat: state.seconds,
    exp: state.seconds + lifetime,
    ...(nonce !== undefined && { nonce }),
  });
}
