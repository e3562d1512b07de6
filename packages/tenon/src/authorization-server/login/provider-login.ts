/**
 * The client of the provider: sends the user there, and learns who came back. By `oauth4webapi`, with PKCE, `state`, `nonce` and the
 * check of `iss`.
 *
 * Security: the provider's tokens are used for one request at most and then dropped.
 */
import type { AuthorizationServer, Client } from "oauth4webapi";
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { GuardedFetch, type GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import { isSameIssuer } from "../../auth/issuer-name.ts";
import type { JsonDocument } from "../../auth/json-document.ts";
import { clientAuthOf, methodFor } from "../../auth/login/oauth-client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isPlainOAuth, type LoginProvider, type ProviderUser } from "./login-provider.ts";

export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

const HOP = "identity provider";
/** Milliseconds for which the provider's metadata is used. */
const LIFETIME = 60 * 60_000;

export class ProviderLogin {
  /** The name of the provider for users. */
  readonly name: string;
  readonly #provider: LoginProvider;
  readonly #redirectUri: string;
  readonly #documents: GuardedFetch;
  #metadata: { readonly server: AuthorizationServer; readonly until: number } | undefined;

  constructor(provider: LoginProvider, redirectUri: string, options: GuardedFetchOptions) {
    this.name = provider.name ?? new URL(provider.issuer).host;
    this.#provider = provider;
    this.#redirectUri = redirectUri;
    // The operator named the provider, so its own origin may be called wherever it is.
    this.#documents = new GuardedFetch(options, new URL(isPlainOAuth(provider) ? provider.tokenEndpoint : provider.issuer));
  }

  async origin(): Promise<string> {
    return new URL((await this.#server()).authorization_endpoint!).origin; // `#server` checks it
  }

  async loginPage({ state, nonce, codeVerifier }: LoginSecrets): Promise<string> {
    const { calculatePKCECodeChallenge } = await import("oauth4webapi");
    const { clientId, scopes = isPlainOAuth(this.#provider) ? [] : ["openid"], parameters = {} } = this.#provider;
    const page = new URL((await this.#server()).authorization_endpoint!); // `#server` checks it
    const own = {
      response_type: "code",
      client_id: clientId,
      redirect_uri: this.#redirectUri,
      state,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(!isPlainOAuth(this.#provider) && { nonce }),
    };
    for (const [name, value] of Object.entries({ ...parameters, ...own })) page.searchParams.set(name, value);
    return page.href;
  }

  /**
   * Reads who came back. `parameters` are the callback's.
   * @returns undefined if the provider or the user refused @throws AuthorizationError, or the library's error if the response is forged
   */
  async userOf(parameters: URLSearchParams, secrets: LoginSecrets): Promise<ProviderUser | undefined> {
    const { AuthorizationResponseError, validateAuthResponse } = await import("oauth4webapi");
    const server = await this.#server();
    const client: Client = { client_id: this.#provider.clientId };
    try {
      const checked = validateAuthResponse(server, client, parameters, secrets.state);
      return await this.#exchange(server, client, checked, secrets);
    } catch (error) {
      if (error instanceof AuthorizationResponseError) return undefined; // state and issuer were checked before
      throw error;
    }
  }

  async #exchange(server: AuthorizationServer, client: Client, checked: URLSearchParams, secrets: LoginSecrets): Promise<ProviderUser> {
    const { authorizationCodeGrantRequest, getValidatedIdTokenClaims, processAuthorizationCodeResponse } = await import("oauth4webapi");
    const isOAuth = isPlainOAuth(this.#provider);
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      await this.#authentication(server),
      checked,
      this.#redirectUri,
      secrets.codeVerifier,
      await this.#fetching(),
    );
    const nonce = isOAuth ? {} : { expectedNonce: secrets.nonce, requireIdToken: true };
    const tokens = await processAuthorizationCodeResponse(server, client, response, nonce);
    const claims = getValidatedIdTokenClaims(tokens);
    if (!isOAuth) return { issuer: this.#provider.issuer, subject: claims!.sub, claims: claims as JsonObject }; // `requireIdToken`
    return this.#userAt(tokens.access_token);
  }

  /** Who the user of an access token is, by the URL of the provider that says so. */
  async #userAt(token: string): Promise<ProviderUser> {
    if (!isPlainOAuth(this.#provider)) throw new TypeError("OpenID Connect names the user in its ID token");
    const { userEndpoint, issuer, subjectMember = "id" } = this.#provider;
    const headers = { authorization: `Bearer ${token}`, "user-agent": "tenon" };
    const { status, json } = await this.#documents.json(userEndpoint, { hop: HOP, headers });
    const subject = json?.[subjectMember];
    const isSubject = (typeof subject === "string" && subject !== "") || Number.isSafeInteger(subject);
    if (status !== 200 || !isSubject) throw this.#problem(userEndpoint, `it did not name the user by "${subjectMember}" (HTTP ${status})`);
    return { issuer, subject: String(subject), claims: json! };
  }

  async #authentication(server: AuthorizationServer): ReturnType<typeof clientAuthOf> {
    const { clientId: id, clientSecret: secret } = this.#provider;
    const supported = server.token_endpoint_auth_methods_supported ?? (isPlainOAuth(this.#provider) ? ["client_secret_post"] : undefined);
    return clientAuthOf({ id, method: methodFor(undefined, secret !== undefined, supported), ...(secret !== undefined && { secret }) });
  }

  async #server(): Promise<AuthorizationServer> {
    const provider = this.#provider;
    if (isPlainOAuth(provider)) {
      return { issuer: provider.issuer, authorization_endpoint: provider.authorizationEndpoint, token_endpoint: provider.tokenEndpoint };
    }
    if (this.#metadata === undefined || this.#metadata.until < Date.now()) {
      const server = this.#check(await this.#discover(provider.issuer), provider.issuer);
      this.#metadata = { server, until: Date.now() + LIFETIME };
    }
    return this.#metadata.server;
  }

  #discover(issuer: string): Promise<JsonDocument> {
    return this.#documents.json(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, { hop: HOP });
  }

  #check({ url, status, json }: JsonDocument, issuer: string): AuthorizationServer {
    const own = json?.["issuer"];
    if (status !== 200 || json === undefined || typeof own !== "string" || !isSameIssuer(own, issuer))
      throw this.#problem(url, `it has no metadata of "${issuer}" (HTTP ${status})`);
    for (const name of ["authorization_endpoint", "token_endpoint"]) {
      const endpoint = json[name];
      if (typeof endpoint !== "string") throw this.#problem(url, `its metadata has no "${name}"`);
      this.#documents.check(endpoint, HOP);
    }
    return json as unknown as AuthorizationServer; // the library checks what it uses
  }

  /** Options that send the library's requests through the guarded fetch. */
  async #fetching(): Promise<object> {
    const { allowInsecureRequests, customFetch } = await import("oauth4webapi");
    return {
      [allowInsecureRequests]: true, // the guarded fetch decides
      [customFetch]: async (url: string, init: { headers: Record<string, string>; body: URLSearchParams }) => {
        const { "user-agent": _, ...headers } = init.headers;
        const request = { hop: HOP, method: "POST", headers, body: init.body.toString(), isFormRead: true } as const;
        const { status, json } = await this.#documents.json(url, request);
        return Response.json(json ?? {}, { status });
      },
    };
  }

  #problem(url: string, problem: string): AuthorizationError {
    return new AuthorizationError({ hop: HOP, url, problem, remedy: 'Check option "provider".' });
  }
}
