/** The `authProvider` of a 1.x transport as Tenon's HTTP client asks for it: tokens, grants and discovery are the original's. */
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider, UnauthorizedError } from "mcp-sdk-v1/client/auth.js";
import type { FetchLike } from "mcp-sdk-v1/shared/transport.js";
import {
  AuthorizationError,
  type Authorizer,
  type AuthProvider,
  type ChallengeResponse,
  type RequestToSign,
  type SettleOptions,
} from "tenon/auth";

/** What the official transport keeps for `finishAuth()`. Its type calls them private. */
export interface AuthParts {
  readonly _url: URL;
  readonly _authProvider: OAuthClientProvider | undefined;
  readonly _fetchWithInit: FetchLike;
  _resourceMetadataUrl: URL | undefined;
  _scope: string | undefined;
}

export class OfficialAuth implements AuthProvider, Authorizer {
  readonly #parts: AuthParts;
  readonly #provider: OAuthClientProvider;
  /** Requests whose challenge was settled: a second refusal is final. */
  readonly #settled = new WeakSet<RequestToSign>();
  /** Why the last challenge could not be settled. */
  refusal: Error | undefined;

  constructor(parts: AuthParts, provider: OAuthClientProvider) {
    this.#parts = parts;
    this.#provider = provider;
  }

  authorizerFor(): Authorizer {
    return this;
  }

  async sign(): Promise<{ [name: string]: string }> {
    const tokens = await this.#provider.tokens();
    return tokens === undefined ? {} : { authorization: `Bearer ${tokens.access_token}` };
  }

  /** @throws UnauthorizedError if the user has to visit a page first: `finishAuth()` of the transport takes what comes of it */
  async settle(response: ChallengeResponse, request: RequestToSign, { silent = false }: SettleOptions = {}): Promise<boolean> {
    const challenge = extractWWWAuthenticateParams(response as Response); // it reads the headers alone
    const isChallenge = response.status === 401 || (response.status === 403 && challenge.error === "insufficient_scope");
    if (!isChallenge || silent || this.#settled.has(request)) return false;
    this.#settled.add(request);
    const { resourceMetadataUrl, scope } = challenge;
    if (response.status === 401 || resourceMetadataUrl) this.#parts._resourceMetadataUrl = resourceMetadataUrl;
    if (response.status === 401 || scope) this.#parts._scope = scope;
    await this.#authorize();
    return true;
  }

  async #authorize(): Promise<void> {
    const { _url: serverUrl, _resourceMetadataUrl: resourceMetadataUrl, _scope: scope, _fetchWithInit: fetchFn } = this.#parts;
    try {
      const found = { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
      if ((await auth(this.#provider, { serverUrl, fetchFn, ...found })) !== "AUTHORIZED") throw new UnauthorizedError();
    } catch (error) {
      this.refusal = error instanceof Error ? error : new Error(String(error));
      // An error that Tenon knows, so that it does not take it for a lost connection and send the request again.
      const problem = this.refusal.message || "the client is not authorized";
      const remedy = "Let the user authorize the client, then call finishAuth() of the transport";
      throw new AuthorizationError({ hop: "authorization", url: serverUrl, problem, remedy, cause: error });
    }
  }
}
