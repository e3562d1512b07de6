/**
 * Sends one token request (RFC 6749 section 5), by `oauth4webapi` through the guarded fetch, and checks the response. Its
 * errors repeat only the server's error code.
 */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { AuthorizationError, INVALID_TARGET, printableErrorCode, type AuthorizationHop } from "../authorization-error.ts";
import type { DpopProver } from "./dpop-prover.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import type { JsonDocument } from "../json-document.ts";
import type { Issuer } from "../issuer-metadata.ts";
import { clientAuthOf, type OAuthClient } from "./oauth-client.ts";
import { oauthRequest } from "./oauth-request.ts";
import { parseScope, type Scope } from "../scope.ts";

/** The checked response of a token endpoint. */
export interface TokenResponse {
  readonly accessToken: string;
  /** `"bearer"`, `"dpop"`, or a type that the grant accepts. */
  readonly tokenType: string;
  /** Milliseconds until it expires; undefined if the server does not say. */
  readonly lifetime: number | undefined;
  readonly refreshToken: string | undefined;
  /** The granted scope; undefined if the server does not say. */
  readonly scope: Scope | undefined;
  /** The `issued_token_type` of a token exchange (RFC 8693 section 2.2.1). */
  readonly issuedTokenType: string | undefined;
}

export interface TokenRequest {
  readonly hop: AuthorizationHop;
  readonly issuer: Issuer;
  readonly client: OAuthClient;
  readonly grantType: string;
  /** Parameters beside `grant_type` and the client's authentication. */
  readonly parameters: { readonly [name: string]: string | undefined };
  readonly dpop?: DpopProver | undefined;
  /** Accepted token types beside `bearer` and `dpop`, in lower case. */
  readonly tokenTypes?: readonly string[];
  readonly signal: AbortSignal;
}

/** Most characters of a token, so that servers accept its header. */
const MAX_TOKEN = 16 * 1024;

/** @throws AuthorizationError; its `error` is the server's code, if there is one */
export async function requestToken(documents: GuardedFetch, request: TokenRequest): Promise<TokenResponse> {
  const endpoint = request.issuer.metadata.token_endpoint;
  if (endpoint === undefined) {
    const url = request.issuer.url ?? request.issuer.metadata.issuer;
    throw new AuthorizationError({ hop: request.hop, url, problem: 'the metadata has no "token_endpoint"', remedy: REPAIR });
  }
  let document = await send(documents, endpoint, request);
  const nonce = request.dpop?.noteNonce(endpoint, document.headers) === true;
  if (nonce && document.json?.["error"] === "use_dpop_nonce") document = await send(documents, endpoint, request);
  // Some servers send 201 for a success; some send errors with 200.
  const isAnswer = document.status === 200 || document.status === 201;
  if (!isAnswer || typeof document.json?.["error"] === "string") throw refusalError(endpoint, request.hop, document);
  return checkTokenResponse(endpoint, request, document.json);
}

const REPAIR = "The operator of the authorization server must repair this.";

async function send(documents: GuardedFetch, endpoint: string, request: TokenRequest): Promise<JsonDocument> {
  const { clockSkew, genericTokenEndpointRequest } = await import("oauth4webapi");
  const { hop, issuer, client, grantType, dpop, signal } = request;
  const parameters = Object.entries(request.parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const proof = await dpop?.prove({ method: "POST", url: new URL(endpoint), skew: issuer.skew });
  const authenticate = await clientAuthOf(client);
  // The library needs an id, even if `clientAuthOf` sends none.
  const sender = { client_id: client.id ?? "none", [clockSkew]: Math.round(issuer.skew / 1000) };
  return oauthRequest(documents, {
    hop,
    signal,
    send: (options) =>
      genericTokenEndpointRequest({ ...issuer.metadata }, sender, authenticate, grantType, parameters, {
        ...options,
        ...(proof !== undefined && { headers: { dpop: proof } }),
      }),
  });
}

/** What to do about each error code (RFC 6749 section 5.2, RFC 8628, RFC 8707, RFC 9449). */
const REMEDIES: { readonly [code: string]: string } = {
  invalid_client: "The authorization server does not know this client or its secret: check the client id and secret, or register again.",
  invalid_grant: "What was presented has expired, was used already or was revoked: log in again.",
  unauthorized_client: "Allow this grant for the client at the authorization server.",
  unsupported_grant_type: "The authorization server does not offer this grant: use another one.",
  invalid_scope: 'Ask for scopes the authorization server knows (option "scope").',
  invalid_target: INVALID_TARGET,
  invalid_dpop_proof: "The authorization server refuses the proof of possession: check this machine's clock.",
  access_denied: "The user or a policy refused access.",
  expired_token: "The user took too long: begin again.",
};

function refusalError(endpoint: string, hop: AuthorizationHop, { status, json }: JsonDocument): AuthorizationError {
  const error = typeof json?.["error"] === "string" ? json["error"] : undefined;
  const problem =
    error === undefined ? `it answered with HTTP ${status}` : `it refused with ${printableErrorCode(error) ?? "an unknown error"}`;
  const remedy =
    (error !== undefined && Object.hasOwn(REMEDIES, error) ? REMEDIES[error] : undefined) ??
    (status >= 500
      ? "Try again later; if it stays so, tell the operator of the authorization server."
      : "See the authorization server's log for the reason.");
  return new AuthorizationError({ hop, url: endpoint, problem, remedy, error });
}

const NO_DPOP = 'It does not know DPoP: turn option "dpop" off, if a token without it is acceptable.';

/** Slack puts the token of a user into a member of its own, and calls its type `user`. */
function withUserToken(json: JsonObject): JsonObject {
  const user = json["authed_user"];
  return json["access_token"] === undefined && isJsonObject(user) ? { ...json, ...user, token_type: "bearer" } : json;
}

function checkTokenResponse(
  endpoint: string,
  { hop, tokenTypes = [], dpop }: TokenRequest,
  response: JsonObject | undefined,
): TokenResponse {
  const bad = (problem: string, remedy = REPAIR): AuthorizationError => new AuthorizationError({ hop, url: endpoint, problem, remedy });
  if (!isJsonObject(response)) throw bad("the response is empty");
  const json = withUserToken(response);
  const { access_token, token_type, expires_in, issued_token_type } = json;
  // Some servers write null for a missing member.
  const refreshToken = json["refresh_token"] ?? undefined;
  const scope = json["scope"] ?? undefined;
  if (!isToken(access_token)) throw bad('the response has no usable "access_token"');
  const tokenType = typeof token_type === "string" ? token_type.toLowerCase() : undefined;
  if (tokenType === undefined || !["bearer", "dpop", ...tokenTypes].includes(tokenType))
    throw bad('the response has no known "token_type"');
  if (tokenType === "dpop" && dpop === undefined) throw bad("it bound the token to a key without being asked");
  if (tokenType === "bearer" && dpop !== undefined) throw bad("it did not bind the token to this client's key", NO_DPOP);
  if (refreshToken !== undefined && !isToken(refreshToken)) throw bad('the response has an unusable "refresh_token"');
  if (scope !== undefined && typeof scope !== "string") throw bad('the response has a "scope" that is not a string');
  const lifetime = toLifetime(expires_in);
  if (lifetime === "none") throw bad('the response has an "expires_in" that is not a number of seconds');
  return {
    accessToken: access_token,
    tokenType,
    lifetime,
    refreshToken,
    scope: scope === undefined ? undefined : parseScope(scope.replaceAll(",", " ")), // GitHub and Slack separate scopes by commas
    issuedTokenType: typeof issued_token_type === "string" ? issued_token_type : undefined,
  };
}

/** Whether a value is text that a header can hold. */
function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN && /^[\x21-\x7E]+$/.test(value);
}

/** Converts seconds, which some servers write as text, to milliseconds; "none" if they are no number of seconds. */
export function toLifetime(seconds: unknown): number | undefined | "none" {
  if (seconds === undefined || seconds === null) return undefined;
  const value = typeof seconds === "string" && /^\d{1,12}(\.\d{1,9})?$/.test(seconds) ? Number(seconds) : seconds;
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.min(value, 10 ** 9) * 1000 : "none";
}
