/**
 * Finds out which user a browser belongs to: a login at the identity provider of the callers' tokens (OpenID Connect Core section 3.1).
 *
 * Only the subject of the ID token is used. The token comes straight from the token endpoint, so TLS proves who issued it (section 3.1.3.7).
 */
import { AuthorizationError } from "../auth/authorization-error.ts";
import { readCallback } from "../auth/grants/callback.ts";
import { findIssuer, type Issuer } from "../auth/issuer-metadata.ts";
import { isSameIssuer } from "../auth/issuer-name.ts";
import { clientAuthOf } from "../auth/login/oauth-client.ts";
import { oauthRequest } from "../auth/login/oauth-request.ts";
import { GuardedFetch, guardedFetchOptions, type GuardedFetchOptions } from "../auth/guarded-fetch.ts";
import { toClient, type PreregisteredClient } from "../auth/grants/registration.ts";
import type { OptionKeys } from "../base/known-options.ts";
import { isUserOf } from "../state/owner.ts";

/**
 * The identity provider at which a browser shows whose it is: OpenID Connect, with an authorization code and PKCE. Security: without it, an
 * attacker could send a link to another user, who would act for the attacker.
 */
export interface BrowserIdentityOptions extends GuardedFetchOptions {
  /** The issuer of the callers' tokens. The subject of its ID token must equal the subject of the caller's token. */
  readonly issuer: string;
  /** The client of these pages there, with `<url>/identity` as its redirect URI. */
  readonly client: PreregisteredClient;
}

export function browserIdentityKeys(): OptionKeys<BrowserIdentityOptions> {
  return { ...guardedFetchOptions(), issuer: 1, client: 1 };
}

/** @param option the name of the option, for the error @throws TypeError */
export function assertBrowserIdentity(option: string, { issuer, client }: Partial<BrowserIdentityOptions> = {}): void {
  if (issuer === undefined || !URL.canParse(issuer))
    throw new TypeError(`Option "${option}.issuer" must be the URL of the issuer of the callers' tokens`);
  if (typeof client?.id !== "string") throw new TypeError(`Option "${option}.client" must be the client of these pages there`);
}

/** What a browser must bring back, sealed in its cookie. */
export interface BegunIdentity {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface UserIdentity {
  readonly issuer: string;
  readonly subject: string;
}

const HOP = "identity provider";
/** Milliseconds for which the provider's metadata is cached. */
const LIFETIME = 10 * 60_000;
/** Milliseconds that the clock of the provider may differ. */
const TOLERANCE = 60_000;
const NEVER: AbortSignal = new AbortController().signal;

export class BrowserIdentity {
  readonly #options: BrowserIdentityOptions;
  readonly #option: string;
  readonly #redirectUri: string;
  readonly #documents: GuardedFetch;
  #latest: { readonly issuer: Issuer; readonly until: number } | undefined;

  /** @param option the name of the option, for errors @throws RangeError if an option has a wrong value */
  constructor(option: string, options: BrowserIdentityOptions, redirectUri: string) {
    this.#option = option;
    this.#options = options;
    this.#redirectUri = redirectUri;
    this.#documents = new GuardedFetch(options, new URL(options.issuer)); // the operator names it
  }

  /** Whether a user, as `userOf` writes it, is one of this provider. */
  knows(user: string): boolean {
    return isUserOf(user, this.#options.issuer);
  }

  /** Where the browser has to go. @throws AuthorizationError if the provider cannot be used */
  async begin(): Promise<{ readonly page: URL; readonly begun: BegunIdentity }> {
    const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomNonce, generateRandomState } =
      await import("oauth4webapi");
    const { metadata } = await this.#issuer();
    const endpoint = metadata.authorization_endpoint;
    if (endpoint === undefined) throw this.#fail('its metadata has no "authorization_endpoint"');
    this.#documents.check(endpoint, HOP);
    const begun = { state: generateRandomState(), nonce: generateRandomNonce(), verifier: generateRandomCodeVerifier() };
    const page = new URL(endpoint);
    const parameters = {
      response_type: "code",
      client_id: this.#options.client.id,
      redirect_uri: this.#redirectUri,
      scope: "openid",
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);
    return { page, begun };
  }

  /** The user of a browser that came back. @throws AuthorizationError */
  async finish(callback: URLSearchParams, { state, nonce, verifier }: BegunIdentity): Promise<UserIdentity> {
    const issuer = await this.#issuer();
    const code = readCallback(callback, { redirectUri: this.#redirectUri, state, issuer: issuer.metadata });
    const token = await this.#redeem(issuer, code, verifier);
    const { decodeJwt } = await import("jose");
    const { iss, aud, exp, sub, azp, nonce: bound } = decodeJwt(token);
    const { id } = this.#options.client;
    const isForUs = aud === id || (Array.isArray(aud) && aud.includes(id) && (aud.length === 1 || azp === id));
    if (typeof iss !== "string" || !isSameIssuer(iss, issuer.metadata.issuer) || !isForUs || bound !== nonce)
      throw this.#fail("its ID token is for another login");
    if (typeof exp !== "number" || exp * 1000 + TOLERANCE < Date.now()) throw this.#fail("its ID token has expired");
    if (typeof sub !== "string" || sub === "") throw this.#fail("its ID token names no user");
    return { issuer: iss, subject: sub };
  }

  async #redeem(issuer: Issuer, code: string, verifier: string): Promise<string> {
    const { genericTokenEndpointRequest } = await import("oauth4webapi");
    const { metadata } = issuer;
    const client = toClient(this.#options.client, metadata);
    const authenticate = await clientAuthOf(client);
    const parameters = { code, redirect_uri: this.#redirectUri, code_verifier: verifier };
    const { status, json } = await oauthRequest(this.#documents, {
      hop: HOP,
      signal: NEVER,
      send: (options) =>
        genericTokenEndpointRequest({ ...metadata }, { client_id: client.id! }, authenticate, "authorization_code", parameters, options), // it is registered
    });
    const token = json?.["id_token"];
    if (status !== 200 || typeof token !== "string") throw this.#fail(`its token endpoint gave no ID token (HTTP ${status})`);
    return token;
  }

  async #issuer(): Promise<Issuer> {
    if (this.#latest !== undefined && this.#latest.until > Date.now()) return this.#latest.issuer;
    const issuer = await findIssuer(this.#documents, this.#options.issuer);
    this.#latest = { issuer, until: Date.now() + LIFETIME };
    return issuer;
  }

  #fail(problem: string): AuthorizationError {
    const remedy = `Check the option "${this.#option}" and the client of these pages there.`;
    return new AuthorizationError({ hop: HOP, url: this.#options.issuer, problem, remedy });
  }
}
