/**
 * Verifies access tokens that only their issuer can read, by asking it (RFC 7662). Loaded with the first token.
 *
 * Concurrent requests with the same token are one question. If the issuer does not respond, requests are refused.
 */
import { ClientSecretBasic, ClientSecretPost, PrivateKeyJwt, type ClientAuth } from "oauth4webapi";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { IntrospectionOptions } from "./introspection-options.ts";
import { fromClaims, type VerifiedToken } from "./verified-token.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";

export interface IntrospectionSource {
  readonly issuer: string;
  readonly options: IntrospectionOptions;
  readonly fetch: GuardedFetch;
  /** Finds the issuer's endpoint. Called if the options do not name one. */
  readonly locate: () => Promise<string>;
}

/** Most questions at the same time, because senders of invalid tokens cause questions too. */
const MAX_PENDING = 256;

export class Introspection {
  readonly #issuer: string;
  readonly #options: IntrospectionOptions;
  readonly #fetch: GuardedFetch;
  readonly #locate: () => Promise<string>;
  readonly #authenticate: ClientAuth;
  readonly #pending = new Map<string, Promise<VerifiedToken | undefined>>();
  #endpoint: Promise<string> | undefined;

  constructor({ issuer, options, fetch, locate }: IntrospectionSource) {
    this.#issuer = issuer;
    this.#options = options;
    this.#fetch = fetch;
    this.#locate = locate;
    this.#authenticate = authenticationOf(options);
  }

  /** Returns undefined if the token is not active. @throws if the issuer cannot tell */
  verify(token: string): Promise<VerifiedToken | undefined> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending;
    if (this.#pending.size >= MAX_PENDING) return Promise.reject(new LimitExceededError("introspection", MAX_PENDING));
    const asking = this.#ask(token).finally(() => this.#pending.delete(token));
    this.#pending.set(token, asking);
    return asking;
  }

  async #ask(token: string): Promise<VerifiedToken | undefined> {
    const url = await this.#where();
    const body = new URLSearchParams({ token, token_type_hint: "access_token" });
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    await this.#authenticate({ issuer: this.#issuer }, { client_id: this.#options.clientId }, body, headers);
    const answer = await this.#fetch.json(url, {
      hop: "introspection",
      method: "POST",
      headers: Object.fromEntries(headers),
      body: body.toString(),
    });
    if (answer.status !== 200 || typeof answer.json?.["active"] !== "boolean") throw unusableResponseError(url, answer.status);
    return answer.json["active"] ? fromClaims(answer.json, this.#issuer) : undefined;
  }

  /** Finds the endpoint once, and again after a failure. */
  #where(): Promise<string> {
    const { endpoint } = this.#options;
    return (this.#endpoint ??= (endpoint === undefined ? this.#locate() : Promise.resolve(endpoint)).catch((error: unknown) => {
      this.#endpoint = undefined;
      throw error;
    }));
  }
}

function unusableResponseError(url: string, status: number): AuthorizationError {
  const refused = status === 400 || status === 401 || status === 403;
  return new AuthorizationError({
    hop: "introspection",
    url,
    problem: refused ? `the issuer refuses this server (status ${status})` : `the response cannot be used (status ${status})`,
    remedy: refused ? 'Check the client in option "introspection".' : "The operator of the authorization server must repair this.",
  });
}

function authenticationOf({ clientSecret = "", privateKey, authentication }: IntrospectionOptions): ClientAuth {
  if (privateKey !== undefined) return PrivateKeyJwt(privateKey);
  return authentication === "client_secret_post" ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}
