/** Makes tokens: access tokens as JWTs (RFC 9068) or opaque, refresh tokens, ID tokens. */
import type { JWTPayload } from "jose";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { randomId } from "../../../base/bytes.ts";
import type { RegisteredClient } from "../clients/client-metadata.ts";
import { newSecret, type AccessToken, type GrantedAccess, type ServerState } from "../state.ts";

export interface Issue {
  readonly grant: GrantedAccess;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  /** The thumbprint of the key the token is bound to. */
  readonly key: string | undefined;
}

/** The response of the token endpoint with an access token only. */
export async function accessTokenResponse(state: ServerState, issue: Issue): Promise<JsonObject> {
  const { scopes, key } = issue;
  return {
    access_token: await issueAccessToken(state, issue),
    token_type: key === undefined ? "Bearer" : "DPoP",
    expires_in: Math.floor(state.settings.accessTokenLifetime / 1_000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}

/** The response with a refresh token too, if the client registered that grant. */
export async function refreshableResponse(state: ServerState, issue: Issue, client: RegisteredClient): Promise<JsonObject> {
  const { settings } = state;
  const response = await accessTokenResponse(state, issue);
  if (settings.refreshTokens === "never" || !client.grantTypes.includes("refresh_token")) return response;
  return { ...response, refresh_token: issueRefreshToken(state, issue.grant, client, issue.key) };
}

/** Issues a refresh token. For a public client it is bound to its key, because nothing else identifies the client (RFC 9449 section 5). */
export function issueRefreshToken(state: ServerState, grant: GrantedAccess, client: RegisteredClient, key: string | undefined): string {
  const token = newSecret();
  const boundTo = client.authentication === "none" ? key : undefined;
  state.refreshTokens.set(token, { grant, key: boundTo, used: false }, state.settings.refreshTokenLifetime);
  return token;
}

export interface Deviation {
  readonly lifetime?: number | undefined;
  readonly claims?: JsonObject | undefined;
}

export async function issueAccessToken(state: ServerState, issue: Issue, deviation: Deviation = {}): Promise<string> {
  const { settings } = state;
  const { grant, scopes, resources, key } = issue;
  const { lifetime = settings.accessTokenLifetime, claims } = deviation;
  const audience = resources.length > 0 ? resources : [settings.defaultAudience ?? state.issuer];
  const issued = state.clock();
  const token: AccessToken = { grant, scopes, audience, key, issued, expires: issued + lifetime };
  const isJwt = settings.accessTokens === "jwt" || (settings.accessTokens === "jwt-for-resource" && resources.length > 0);
  const name = isJwt ? randomId() : newSecret();
  state.accessTokens.set(name, token, lifetime);
  if (!isJwt) return name;
  const made = accessTokenClaims(state, name, token) as JsonObject; // made of JSON values
  return state.keys.sign("at+jwt", { ...(settings.alterAccessToken?.(made) ?? made), ...claims });
}

/** The claims of an access token (RFC 9068 section 2.2), also for introspection (RFC 7662 section 2.2). */
export function accessTokenClaims({ ownName, settings }: ServerState, name: string, token: AccessToken): JWTPayload {
  const { grant, scopes, audience, key } = token;
  return {
    iss: ownName,
    sub: grant.subject,
    aud: audience.length === 1 ? audience[0]! : [...audience],
    exp: Math.floor(token.expires / 1_000),
    iat: Math.floor(token.issued / 1_000),
    jti: name,
    ...(grant.clientId !== undefined && { client_id: grant.clientId }),
    ...(scopes.length > 0 && (settings.shortScopes ? { scp: scopes.map(lastPart).join(" ") } : { scope: scopes.join(" ") })),
    ...(key !== undefined && { cnf: { jkt: key } }),
  };
}

function lastPart(scope: string): string {
  return scope.slice(scope.lastIndexOf("/") + 1);
}

/** Issues an ID token (OpenID Connect section 2) to a client that requested the scope `openid`. */
export function issueIdToken(state: ServerState, client: RegisteredClient, { subject, nonce }: GrantedAccess): Promise<string> {
  const lifetime = Math.floor(state.settings.accessTokenLifetime / 1_000);
  return state.keys.sign("JWT", {
    iss: state.ownName,
    sub: subject,
    aud: client.id,
    iat: state.seconds,
    exp: state.seconds + lifetime,
    ...(nonce !== undefined && { nonce }),
  });
}
