/** The options that all grants share. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AuthStore } from "./auth-store.ts";
import type { DpopOptions } from "./dpop-prover.ts";
import { guardedFetchOptions, type GuardedFetchOptions } from "../guarded-fetch.ts";

/** A server names another authorization server than the one its tokens came from. */
export interface IssuerChange {
  /** The MCP server whose metadata has changed. */
  readonly server: URL;
  /** The issuer of the existing tokens. */
  readonly from: string;
  /** The issuer that is named now. */
  readonly to: string;
}

/** Options that every grant has. */
export interface OAuthOptions extends GuardedFetchOptions {
  /** Stores registrations and tokens. Default: in memory, for as long as this process runs. */
  readonly store?: AuthStore;
  /** The user of the records, if several users share the store. Default `""`. */
  readonly account?: string;
  /** The scope to request, space-separated. Scopes that a later challenge demands are added. Default: the scopes that the server names. */
  readonly scope?: string;
  /** Whether a refresh names the scope again, as some issuers require (Entra ID: AADSTS90009). Default false. */
  readonly scopeOnRefresh?: boolean;
  /** Binds tokens to a key of this client (DPoP, RFC 9449). Default: only if the server's metadata requires it. */
  readonly dpop?: boolean | DpopOptions;
  /**
   * Decides whether a known server may name another authorization server. Security: credentials of the old one are never sent to
   * it. Default: yes, and the user has to log in again; no for a pre-registered client.
   */
  readonly onIssuerChange?: (change: IssuerChange) => MaybePromise<boolean>;
}

export function oauthOptions(): OptionKeys<OAuthOptions> {
  return { ...guardedFetchOptions(), store: 1, account: 1, scope: 1, scopeOnRefresh: 1, dpop: 1, onIssuerChange: 1 };
}
