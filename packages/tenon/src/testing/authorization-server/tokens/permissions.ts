/** Checks requested scopes and resources (RFC 8707) against the settings and the grant. */
import { OAuthError } from "../oauth-error.ts";
import type { Parameters } from "../parameters.ts";
import type { GrantedAccess, ServerState } from "../state.ts";

/** The scopes of a new request. @throws OAuthError if this server does not have one */
export function allowedScopes({ settings }: ServerState, parameters: Parameters): readonly string[] {
  const scopes = parameters.scopes() ?? [];
  const unknown = settings.scopes && scopes.find((scope) => !settings.scopes!.includes(scope));
  if (unknown !== undefined) throw new OAuthError("invalid_scope", `There is no scope ${JSON.stringify(unknown)}`);
  return scopes;
}

/** The resources of a new request. @throws OAuthError if this server issues no tokens for one */
export function allowedResources({ settings }: ServerState, parameters: Parameters): readonly string[] {
  if (settings.resourceParameter === "ignore") return [];
  const resources = parameters.resources();
  assertTaken(settings, resources);
  const unknown = settings.resources && resources.find((resource) => !settings.resources!.includes(resource));
  if (unknown !== undefined) throw new OAuthError("invalid_target", `This server gives no tokens for ${JSON.stringify(unknown)}`);
  return resources;
}

/** The requested scopes, limited to the grant; all of the grant if none is named. @throws OAuthError */
export function scopesWithin(grant: GrantedAccess, parameters: Parameters): readonly string[] {
  const scopes = parameters.scopes();
  const beyond = scopes?.find((scope) => !grant.scopes.includes(scope));
  if (beyond !== undefined) throw new OAuthError("invalid_scope", `Scope ${JSON.stringify(beyond)} was not granted`);
  return scopes ?? grant.scopes;
}

/** The same for resources. @throws OAuthError */
export function resourcesWithin({ settings }: ServerState, grant: GrantedAccess, parameters: Parameters): readonly string[] {
  if (settings.resourceParameter === "ignore") return grant.resources;
  const resources = parameters.resources();
  assertTaken(settings, resources);
  const beyond = resources.find((resource) => !grant.resources.includes(resource));
  if (beyond !== undefined) throw new OAuthError("invalid_target", `Resource ${JSON.stringify(beyond)} was not granted`);
  return resources.length > 0 ? resources : grant.resources;
}

/** @throws OAuthError if this server refuses the parameter as such */
function assertTaken({ resourceParameter }: ServerState["settings"], asked: readonly string[]): void {
  if (resourceParameter === "refuse" && asked.length > 0)
    throw new OAuthError("invalid_target", "AADSTS9010010: the resource parameter does not match the requested scopes");
}
