/**
 * The identity providers that are trusted, each with its own keys.
 *
 * Security: the keys of one issuer never verify the assertions of another. An issuer that is not trusted causes no request.
 */
import { AuthorizationError } from "../../auth/authorization-error.ts";
import { GuardedFetch, type GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import { findIssuer } from "../../auth/issuer-metadata.ts";
import { IssuerKeys } from "../../auth/resource-server/issuer-keys.ts";
import type { CompanyProvider, EnterpriseAccess } from "./enterprise.ts";

/** Issuers whose keys are kept. With more of them, keys that were used longest ago are dropped. */
const MAX_ISSUERS = 1_000;

export class TrustedProviders {
  readonly #access: EnterpriseAccess;
  readonly #fetching: GuardedFetchOptions;
  /** By the issuer and the URL of the keys, the ones used last at the end. */
  readonly #keys = new Map<string, IssuerKeys>();

  constructor(access: EnterpriseAccess, fetching: GuardedFetchOptions) {
    this.#access = access;
    this.#fetching = fetching;
  }

  /** Undefined if the issuer is not trusted. */
  async find(issuer: string): Promise<{ readonly provider: CompanyProvider; readonly keys: IssuerKeys } | undefined> {
    const provider = await this.#access.find(issuer);
    return provider && { provider, keys: this.#keysOf(provider) };
  }

  #keysOf({ issuer, jwksUri }: CompanyProvider): IssuerKeys {
    const name = JSON.stringify([issuer, jwksUri]);
    const keys = this.#keys.get(name) ?? this.#makeKeys(issuer, jwksUri);
    this.#keys.delete(name);
    this.#keys.set(name, keys);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MAX_ISSUERS) this.#keys.delete(oldest!);
    return keys;
  }

  #makeKeys(issuer: string, jwksUri: string | undefined): IssuerKeys {
    const fetch = new GuardedFetch(this.#fetching, new URL(issuer)); // the operator named it, so its origin may be called
    return new IssuerKeys(fetch, async () => jwksUri ?? locate(fetch, issuer));
  }
}

async function locate(fetch: GuardedFetch, issuer: string): Promise<string> {
  const { metadata, url = issuer } = await findIssuer(fetch, issuer);
  if (metadata.jwks_uri !== undefined) return metadata.jwks_uri;
  const remedy = 'Name the URL of its keys: enterprise({ idp: { issuer, jwksUri: "…" } }).';
  throw new AuthorizationError({ hop: "authorization server metadata", url, problem: 'it names no "jwks_uri"', remedy });
}
