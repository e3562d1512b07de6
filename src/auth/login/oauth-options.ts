/** What all grants have in common. */
import type { OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { AuthStore } from "./auth-store.ts";
import type { DpopOptions } from "./dpop-prover.ts";
import { guardedFetchOptions, type GuardedFetchOptions } from "../guarded-fetch.ts";

/** A server names another authorization server than the one its tokens came from. */
export interface IssuerChange {
  /** Whose metadata says so. */
  readonly server: URL;
  /** The issuer of the tokens there are. */
  readonly from: string;
  /** The issuer that is named now. */
  readonly to: string;
}

/** Options that every grant has. */
export interface OAuthOptions extends GuardedFetchOptions {
  /** Where registrations and tokens are kept. Default: in memory, for as long as this process runs. */
  readonly store?: AuthStore;
  /** Whose they are, where several users share a store. Default `""`. */
  readonly account?: string;
  /**
   * Asked for in place of what the server names, space-separated. What a challenge demands later is added to it. Default: what
   * it names.
   */
  readonly scope?: string;
  /**
   * Whether a refresh names the scope again, which some issuers want (Entra ID: AADSTS90009). Default false.
   */
  readonly scopeOnRefresh?: boolean;
  /** Binds tokens to a key of this client (DPoP, RFC 9449). Default: where the server's metadata requires it. */
  readonly dpop?: boolean | DpopOptions;
  /**
   * Decides whether a known server may name another authorization server. It is never sent what belongs to the old one.
   * Default: yes, for it registers this client and asks the user anew; no, where the client was given.
   */
  readonly onIssuerChange?: (change: IssuerChange) => MaybePromise<boolean>;
}

export function oauthOptions(): OptionKeys<OAuthOptions> {
  return { ...guardedFetchOptions(), store: 1, account: 1, scope: 1, scopeOnRefresh: 1, dpop: 1, onIssuerChange: 1 };
}
