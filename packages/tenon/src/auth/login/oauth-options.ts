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
  /**
   * The `resource` parameter of every request for tokens (RFC 8707): a text that replaces the server's own name, or false to send none, for
   * authorization servers that refuse it (Microsoft Entra ID: AADSTS9010010). Default: the resource that the server publishes. Security: without
   * the right one, the authorization server may issue a token that other servers accept too. @throws RangeError if the text is no identifier
   */
  readonly resource?: false | string;
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
  return { ...guardedFetchOptions(), store: 1, account: 1, scope: 1, resource: 1, scopeOnRefresh: 1, dpop: 1, onIssuerChange: 1 };
}

/** Visible characters without a fragment. Some authorization servers name resources by other texts than URLs. */
const RESOURCE = /^[\x21\x22\x24-\x7E]{1,2048}$/;

/** @throws RangeError if option `resource` is neither false nor an identifier */
export function assertResource(resource: OAuthOptions["resource"]): void {
  if (resource === undefined || resource === false || (typeof resource === "string" && RESOURCE.test(resource))) return;
  throw new RangeError(
    `Option "resource" must be false, or an identifier of printable ASCII without spaces and "#", not ${JSON.stringify(resource)}`,
  );
}
