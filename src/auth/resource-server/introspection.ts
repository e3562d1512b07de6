/**
 * Access tokens that only their issuer can read: it is asked (RFC 7662). Loaded with the first token.
 *
 * Requests with the same token at the same time are one question. Where the issuer does not answer, nobody gets in.
 */
import type { OptionKeys } from "../../base/known-options.ts";
import { ClientSecretBasic, ClientSecretPost, PrivateKeyJwt, type ClientAuth } from "oauth4webapi";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { fromClaims, type VerifiedToken } from "./verified-token.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";

/** How the issuer is asked about a token (RFC 7662): the option `introspection` of `bearer()`. */
export interface IntrospectionOptions {
  /** Where the issuer is asked. Default: what its metadata says. */
  readonly endpoint?: string;
  /** Who this server is there. */
  readonly clientId: string;
  /** Its secret, or its private key: one of the two. Security: never a secret that is used elsewhere. */
  readonly clientSecret?: string;
  /** Signs what says who this server is (`private_key_jwt`); `kid` names it to the issuer. */
  readonly privateKey?: { readonly key: CryptoKey; readonly kid?: string };
  /** How the secret is sent. Default `client_secret_basic`. */
  readonly authentication?: "client_secret_basic" | "client_secret_post";
}

export const INTROSPECTION_OPTIONS: OptionKeys<IntrospectionOptions> = {
  endpoint: 1,
  clientId: 1,
  clientSecret: 1,
  privateKey: 1,
  authentication: 1,
};

/** The issuer that is asked, and how. */
export interface IntrospectionSource {
  readonly issuer: string;
  readonly options: IntrospectionOptions;
  readonly fetch: GuardedFetch;
  /** Finds the issuer's endpoint. Called if the options do not name one. */
  readonly locate: () => Promise<string>;
}

/** Questions at the same time. Whoever sends made-up tokens makes us ask; not without end. */
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

  /** Undefined for a token that is not active. @throws where that cannot be told */
  verify(token: string): Promise<VerifiedToken | undefined> {
    const asked = this.#pending.get(token);
    if (asked !== undefined) return asked;
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

  /** Looked up once; after a failure again. */
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
    problem: refused ? `this server is not let in (status ${status})` : `the answer is of no use (status ${status})`,
    remedy: refused ? 'Check the client in option "introspection".' : "This is for whoever runs the authorization server to repair.",
  });
}

function authenticationOf({ clientSecret = "", privateKey, authentication }: IntrospectionOptions): ClientAuth {
  if (privateKey !== undefined) return PrivateKeyJwt(privateKey);
  return authentication === "client_secret_post" ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}
