/**
 * The authorization code grant with PKCE (MCP 2025-11-25, Authorization): a user logs in on the authorization server's page
 * and comes back with a code, which only this client can redeem.
 */
import type { OptionKeys } from "../../base/known-options.ts";
import { LinkedAbort } from "../../base/abort.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../authorization-error.ts";
import { readCallback } from "./callback.ts";
import type { BegunLogin, Grant, GrantContext, ObtainedTokens, PendingLogin } from "../login/grant.ts";
import type { IssuerMetadata } from "../issuer-metadata.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { savePendingLogin } from "../login/pending-login.ts";
import type { OAuthOptions } from "../login/oauth-options.ts";
import { redirectUriBelow, segmentOf, type DeferredRedirection, type LoginPage, type Redirection } from "./redirection.ts";
import {
  clientSource,
  knownClient,
  REGISTRATION_OPTIONS,
  resolveClient,
  type ClientSource,
  type RegistrationOptions,
} from "./registration.ts";
import { requestToken, type TokenResponse } from "../login/token-endpoint.ts";

/** Options of a login on the authorization server's page. */
export interface AuthorizationCodeOptions extends RegistrationOptions {
  /**
   * The issuer that `client` is registered with, and the only one that is accepted. Required with a secret or a key. A server that names no
   * authorization server uses this one. Default: the one that the server names, else the server's own origin.
   */
  readonly issuer?: string;
  /**
   * Goes on with an authorization server that does not say whether it checks PKCE, as the metadata of Amazon Cognito and Microsoft Entra ID do
   * not. S256 is sent all the same. Requires `issuer`. Default false: such a login is refused. Security: turn it on only if you know that this
   * server checks the verifier, because otherwise a stolen code can be redeemed by anyone.
   */
  readonly assumePkce?: boolean;
  /**
   * Whether each issuer has a redirect URI of its own: the one for all issuers, a slash, and 22 characters that name the issuer. Default: true
   * for a client that registers itself, unless `callbackUrl` or `callbackPath` say otherwise; false for `client` and for a metadata document, which
   * are registered with fixed ones. Security: with one redirect URI for several issuers, only the `iss` of a callback tells which of them a code is
   * of (RFC 9700 section 4.4), and some issuers do not send it.
   */
  readonly ownCallback?: boolean;
  /** Milliseconds the user has for the login. Default 300 000 (5 minutes). */
  readonly loginTimeout?: number;
}

export function authorizationCodeOptions(): OptionKeys<AuthorizationCodeOptions> {
  return { ...REGISTRATION_OPTIONS, issuer: 1, assumePkce: 1, ownCallback: 1, loginTimeout: 1 };
}

export const DEFAULT_LOGIN_TIMEOUT: number = 5 * 60_000;

class LoginTimeoutError extends AuthorizationError {
  constructor(url: URL, ms: number) {
    const problem = `the user did not come back within ${ms} ms`;
    super({ hop: "authorization", url, problem, remedy: 'Log in again, or raise option "loginTimeout".' });
  }
}

export class AuthorizationCodeGrant implements Grant {
  readonly interactive = true;
  readonly issuer: string | undefined;
  readonly preregisteredId: string | undefined;
  readonly #options: AuthorizationCodeOptions & Pick<OAuthOptions, "scope">;
  readonly #redirection: Redirection | DeferredRedirection;

  /** @throws TypeError if a client has a secret and no issuer, or PKCE is assumed of any issuer; RangeError if `loginTimeout` is not positive */
  constructor(redirection: Redirection | DeferredRedirection, options: AuthorizationCodeOptions & Pick<OAuthOptions, "scope">) {
    const { client, issuer, loginTimeout = DEFAULT_LOGIN_TIMEOUT } = options;
    if (client !== undefined && typeof client?.id !== "string")
      throw new TypeError('Option "client" must be { id }, and { id, secret } if it has a secret');
    if (issuer === undefined && (client?.secret ?? client?.key) !== undefined) {
      throw new TypeError('A client with a secret needs option "issuer", so that the secret is not sent to another server');
    }
    if (issuer === undefined && options.assumePkce === true)
      throw new TypeError('Option "assumePkce" needs option "issuer": PKCE can be assumed only of an authorization server that you know');
    if (!(loginTimeout > 0)) throw new RangeError(`Option "loginTimeout" must be milliseconds > 0, not ${loginTimeout}`);
    this.issuer = issuer;
    this.preregisteredId = client?.id;
    this.#options = options;
    this.#redirection = redirection;
  }

  knownClient(at: GrantContext): Promise<OAuthClient | undefined> {
    return knownClient(at, this.#options);
  }

  async forgetClient(at: GrantContext): Promise<void> {
    await at.credentials.deleteRegistration(at.issuer.metadata.issuer, at.server);
  }

  /** @throws AuthorizationRequiredError if the user has to come back to another request */
  async obtain(at: GrantContext): Promise<ObtainedTokens> {
    assertPkce(at, this.#options.assumePkce);
    const source = clientSource(at.issuer, this.#options, this.#redirection.isForIssuers === true);
    const segment = this.#isOwn(source) ? await segmentOf(at.issuer.metadata.issuer) : undefined;
    const before = await at.credentials.registration(at.issuer.metadata.issuer, at.server);
    const previous = source === "registration" ? before?.redirectUri : undefined;
    if ("redirectUri" in this.#redirection) return this.#sendAway(at, source, sendBackTo(this.#redirection, previous, segment));
    const page = await this.#redirection.begin(previous, at.signal, segment);
    try {
      const client = await resolveClient(at, this.#options, page.redirectUri, source);
      return { client, response: await this.#logIn(at, client, page) };
    } catch (error) {
      if (before !== undefined) await this.#forgetWhereUnknown(at, before.id, error);
      throw error;
    } finally {
      await page.close();
    }
  }

  /** Whether the user comes back to a redirect URI of the issuer's own. */
  #isOwn(source: ClientSource): boolean {
    return this.#options.ownCallback ?? (source === "registration" && this.#redirection.isForIssuers === true);
  }

  /**
   * Forgets a registration that the issuer no longer knows, so that the next login registers again. The issuer says so to this
   * client, or only to the user, who then does not come back. A client that has tokens is kept, because only it can refresh them.
   */
  async #forgetWhereUnknown(at: GrantContext, clientId: string, error: unknown): Promise<void> {
    const isSaid = error instanceof AuthorizationError && (error.error === "invalid_client" || error.error === "unauthorized_client");
    if (!isSaid && !at.signal.aborted && !(error instanceof LoginTimeoutError)) return;
    const { issuer, resource, credentials } = at;
    const tokens = await credentials.tokens({ issuer: issuer.metadata.issuer, resource }, this.preregisteredId);
    if (isSaid || tokens?.clientId !== clientId) await this.forgetClient(at);
  }

  async #sendAway(at: GrantContext, source: ClientSource, redirectUri: string): Promise<never> {
    const client = await resolveClient(at, this.#options, redirectUri, source);
    const { url, login } = await beginLogin(at, client, redirectUri);
    const expiresAt = Date.now() + (this.#options.loginTimeout ?? DEFAULT_LOGIN_TIMEOUT);
    await savePendingLogin(at, { client, login, expiresAt });
    throw new AuthorizationRequiredError(at.server, url);
  }

  /** Redeems the code of a user who has come back. @throws AuthorizationError */
  readonly redeem = async (at: GrantContext, login: PendingLogin, callback: URLSearchParams): Promise<ObtainedTokens> => {
    const client = await this.knownClient(at);
    if (client === undefined || client.id !== login.clientId) {
      const problem = "the client the login was begun for is not known any more";
      throw new AuthorizationError({ hop: "callback", url: login.redirectUri, problem, remedy: "Begin the login again." });
    }
    return { client, response: await redeem(at, { client, login, callback }) };
  };

  async #logIn(at: GrantContext, client: OAuthClient, page: LoginPage): Promise<TokenResponse> {
    const { url, login } = await beginLogin(at, client, page.redirectUri);
    const { loginTimeout = DEFAULT_LOGIN_TIMEOUT } = this.#options;
    const late = AbortSignal.timeout(loginTimeout);
    const either = new LinkedAbort(at.signal, late);
    try {
      const callback = await page.visit(url, login.state, either.signal);
      return await redeem(at, { client, login, callback: callback.searchParams });
    } catch (error) {
      at.signal.throwIfAborted();
      if (!late.aborted || error instanceof AuthorizationError) throw error;
      throw new LoginTimeoutError(url, loginTimeout);
    } finally {
      either.unlink();
    }
  }
}

/** Where a web host takes the user. A registration with the redirect URI for all issuers keeps it. */
function sendBackTo({ redirectUri }: DeferredRedirection, previous: string | undefined, segment: string | undefined): string {
  return segment === undefined || previous === redirectUri ? redirectUri : redirectUriBelow(redirectUri, segment);
}

/**
 * @param isAssumed whether a server that does not say so may be taken to check the verifier
 * @throws AuthorizationError if the server does not declare that it checks the verifier (MCP 2025-11-25, Authorization,
 * Authorization code protection)
 */
export function assertPkce({ issuer }: Pick<GrantContext, "issuer">, isAssumed: boolean = false): void {
  const methods = issuer.metadata.code_challenge_methods_supported;
  if (methods === undefined ? isAssumed : methods.includes("S256")) return;
  throw new AuthorizationError({
    hop: "authorization server metadata",
    url: issuer.url ?? issuer.metadata.issuer,
    problem: 'it does not offer PKCE with S256 ("code_challenge_methods_supported")',
    remedy: methods === undefined ? PKCE_NOT_SAID : PKCE_OFF,
  });
}

const PKCE_OFF = "A code could be stolen on its way, so no login was begun. The operator of the authorization server must turn PKCE on.";
const PKCE_NOT_SAID = `${PKCE_OFF} If you know that it checks PKCE and only does not say so, name it (option "issuer") and say so (option "assumePkce").`;

/** Makes the URL to send the user to, and the login to remember. @throws AuthorizationError if the endpoint must not be opened */
export async function beginLogin(at: GrantContext, client: OAuthClient, redirectUri: string): Promise<{ url: URL; login: BegunLogin }> {
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await import("oauth4webapi");
  const login = { redirectUri, state: generateRandomState(), verifier: generateRandomCodeVerifier() };
  const url = authorizationEndpoint(at, at.issuer.metadata);
  const parameters = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: redirectUri,
    state: login.state,
    code_challenge: await calculatePKCECodeChallenge(login.verifier),
    code_challenge_method: "S256",
    scope: at.scope?.join(" "),
    resource: at.indicator,
    // OpenID Connect Core section 11: without it no refresh token is given.
    prompt: at.scope?.includes("offline_access") === true ? "consent" : undefined,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { url, login };
}

function authorizationEndpoint({ documents, issuer }: GrantContext, { authorization_endpoint }: IssuerMetadata): URL {
  if (authorization_endpoint === undefined) {
    const problem = 'the metadata has no "authorization_endpoint"';
    throw new AuthorizationError({
      hop: "authorization",
      url: issuer.url ?? issuer.metadata.issuer,
      problem,
      remedy: "Use a grant without a user there.",
    });
  }
  documents.check(authorization_endpoint, "authorization");
  return new URL(authorization_endpoint);
}

/** A login whose user has come back. */
export interface ReturnedLogin {
  readonly client: OAuthClient;
  readonly login: BegunLogin;
  /** The parameters of the URL that the user came back to. */
  readonly callback: URLSearchParams;
}

/** Redeems the code that a user came back with. @throws AuthorizationError */
export function redeem(at: GrantContext, { client, login, callback }: ReturnedLogin): Promise<TokenResponse> {
  const { redirectUri, state, verifier } = login;
  const code = readCallback(callback, { redirectUri, state, issuer: at.issuer.metadata, isWithoutScope: at.scope === undefined });
  return requestToken(at.documents, {
    hop: "token",
    issuer: at.issuer,
    client,
    grantType: "authorization_code",
    parameters: { code, redirect_uri: redirectUri, code_verifier: verifier, resource: at.indicator },
    dpop: at.dpop,
    signal: at.signal,
  });
}
