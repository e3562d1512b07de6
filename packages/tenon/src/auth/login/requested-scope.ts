/**
 * Chooses the scope to request: what the user wants, what the server demands, and what was requested before (MCP
 * 2025-11-25, Authorization, Scope selection).
 */
import { AuthorizationError } from "../authorization-error.ts";
import type { Challenge } from "./challenge.ts";
import type { TokenSet } from "./credentials.ts";
import type { FoundIssuer } from "./discovery.ts";
import { includesScopes, requestForm, uniteScopes, type Scope } from "../scope.ts";
import { grantedTo } from "./token-set.ts";

interface ScopeRequest {
  readonly server: URL;
  readonly own: Scope | undefined;
  /** Existing tokens of the same issuer for the same server. */
  readonly known: TokenSet | undefined;
  readonly found: FoundIssuer;
  /** Whether a user takes part. */
  readonly interactive: boolean;
}

/** @throws AuthorizationError if the refused token has all of these scopes already */
export function scopeToRequest(
  { server, own, known, found, interactive }: ScopeRequest,
  { challenge, stepUp, isAsked = false }: { readonly challenge: Challenge; readonly stepUp: boolean; readonly isAsked?: boolean },
): Scope | undefined {
  // A challenge may name a scope as tokens do, and the authorization server may know it only in a longer form.
  const forms = [...(found.scopesSupported ?? []), ...(own ?? [])];
  const demand = challenge.scope?.map((scope) => requestForm(scope, forms));
  const demanded = demand ?? found.scopesSupported;
  const wanted = isAsked && own !== undefined ? uniteScopes(own, demand) : (own ?? demanded);
  if (!stepUp) return withOffline(uniteScopes(wanted, known?.requested), found, interactive);
  const granted = known === undefined ? undefined : grantedTo(known);
  if (demanded !== undefined && !includesScopes(granted, demanded) && !includesScopes(granted, challenge.scope ?? demanded))
    return withOffline(uniteScopes(uniteScopes(own, known?.requested ?? granted), demanded), found, interactive);
  throw new AuthorizationError({
    hop: "access",
    url: server,
    problem: "the server wants more than the token allows, and names nothing that the token lacks",
    remedy: "Ask the operator of the MCP server which permission is missing, and have it granted at the authorization server.",
  });
}

/** Adds `offline_access`, which requests a refresh token, if the issuer supports it and other scopes are requested too. */
function withOffline(scope: Scope | undefined, { issuer }: FoundIssuer, interactive: boolean): Scope | undefined {
  const isOffered = issuer.metadata.scopes_supported?.includes("offline_access") === true;
  return scope !== undefined && interactive && isOffered ? uniteScopes(scope, ["offline_access"]) : scope;
}
