/**
 * `tokenExchange()`: a server acts at another server for its caller (RFC 8693).
 *
 * The program sends the caller's token to the authorization server that issued it, and gets a token for the other server. Security: the
 * caller's token is sent to that token endpoint only, and never to the other server.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { GrantContext } from "../login/grant.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import type { TokenRequest, TokenResponse } from "../login/token-endpoint.ts";
import { assertClientAndIssuer, clientGrant, requestFor } from "./client-grant.ts";
import type { PreregisteredClient } from "./registration.ts";
import { JWT_BEARER } from "./workload-identity.ts";

export const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** The token of a caller. */
export interface SubjectToken {
  /** Secret. */
  readonly token: string;
  /** Milliseconds since 1970 at which it expires. A token that was got for it is not used for longer. Default: no limit. */
  readonly expiresAt?: number | undefined;
}

/** What a token exchange needs, except for whose token it exchanges. */
export interface ExchangeOptions {
  /** The authorization server, which has issued the caller's token too. Security: nothing is sent if the other server names another one. */
  readonly issuer: string;
  /** This program's client there, with a secret or a key. */
  readonly client: PreregisteredClient;
  /** The `audience` parameter, for authorization servers that know the other server by a name. Default: none, only its `resource`. */
  readonly audience?: string;
  /** Returns a token of this program, if the new token must name it as the actor. Called for each exchange. Default: none. */
  readonly actorToken?: () => MaybePromise<string>;
  /**
   * How the authorization server exchanges tokens: `"token-exchange"` as in RFC 8693, or `"on-behalf-of"` as Microsoft Entra ID does (a JWT
   * bearer assertion). Default `"token-exchange"`.
   */
  readonly protocol?: "token-exchange" | "on-behalf-of";
}

/** Options of `tokenExchange()`. */
export interface TokenExchangeOptions extends OAuthOptions, ExchangeOptions {
  /** Returns the caller's token. Called for each exchange, because callers get new tokens. */
  readonly subjectToken: () => MaybePromise<SubjectToken>;
}

export const EXCHANGE_OPTIONS: OptionKeys<ExchangeOptions> = { issuer: 1, client: 1, audience: 1, actorToken: 1, protocol: 1 };

/** Authorizes for a caller by the caller's token. @throws TypeError if the issuer or a secret is missing; RangeError if an option has a wrong value */
export function tokenExchange(options: TokenExchangeOptions): OAuthProvider {
  const keys: OptionKeys<TokenExchangeOptions> = { ...oauthOptions(), ...EXCHANGE_OPTIONS, subjectToken: 1 };
  assertKnown("tokenExchange()", options, keys);
  assertExchange(options);
  return new OAuthProvider(
    clientGrant(options, (at, client) => exchange(at, client, options)),
    options,
  );
}

/** @throws TypeError if the issuer or a secret is missing; RangeError if the protocol is unknown */
export function assertExchange(options: ExchangeOptions): void {
  const { protocol = "token-exchange" } = options;
  assertClientAndIssuer(options);
  if (protocol === "token-exchange" || protocol === "on-behalf-of") return;
  throw new RangeError(`Option "protocol" must be "token-exchange" or "on-behalf-of", not ${JSON.stringify(protocol)}`);
}

async function exchange(at: GrantContext, client: OAuthClient, options: TokenExchangeOptions): Promise<TokenResponse> {
  const subject = await options.subjectToken();
  const response = await requestFor(at, client, await requestOf(subject.token, options));
  if (response.accessToken === subject.token) throw sameTokenError(at);
  // A refresh token would outlive the caller's token.
  return { ...response, refreshToken: undefined, lifetime: shorter(response.lifetime, subject.expiresAt) };
}

async function requestOf(
  token: string,
  { audience, actorToken, protocol }: ExchangeOptions,
): Promise<Pick<TokenRequest, "grantType" | "parameters">> {
  if (protocol === "on-behalf-of")
    return { grantType: JWT_BEARER, parameters: { audience, assertion: token, requested_token_use: "on_behalf_of" } };
  const actor = actorToken === undefined ? {} : { actor_token: await actorToken(), actor_token_type: ACCESS_TOKEN };
  const subject = { subject_token: token, subject_token_type: ACCESS_TOKEN, requested_token_type: ACCESS_TOKEN };
  return { grantType: TOKEN_EXCHANGE, parameters: { audience, ...subject, ...actor } };
}

/** The milliseconds that both allow; undefined if neither says. */
function shorter(lifetime: number | undefined, expiresAt: number | undefined): number | undefined {
  if (expiresAt === undefined) return lifetime;
  return Math.min(lifetime ?? Infinity, Math.max(0, expiresAt - Date.now()));
}

function sameTokenError({ issuer }: GrantContext): AuthorizationError {
  return new AuthorizationError({
    hop: "token",
    url: issuer.metadata.token_endpoint ?? issuer.metadata.issuer,
    problem: "it gave the caller's token back, which must not be sent to another server",
    remedy: "The operator of the authorization server must issue a token of its own for each server.",
  });
}
