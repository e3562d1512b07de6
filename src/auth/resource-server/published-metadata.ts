/** Protected resource metadata (RFC 9728): what a server says of itself to clients that have no token yet, and where. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isLoopbackName } from "../url-policy.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";
/** Path, or nothing for the root: "no trailing slash unless significant". */
const ROOT = "/";

/** @throws TypeError for what is not the URL of an MCP endpoint */
export function parseResource(resource: string, option: string): URL {
  const bad = (why: string): TypeError => new TypeError(`Option "${option}" ${why}: ${JSON.stringify(resource)}`);
  if (!URL.canParse(resource)) throw bad("must be the URL clients use for this server");
  const url = new URL(resource);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw bad("must be an http(s) URL");
  if (url.protocol === "http:" && !isLoopbackName(url.hostname))
    throw bad("must be https, tokens are sent to it; http is for this machine only");
  if (url.username !== "" || url.password !== "" || url.search !== "" || resource.includes("#"))
    throw bad("must be a URL without user, query or fragment");
  return url;
}

/** Where the metadata of a resource is: the well-known name goes between host and path (RFC 9728 section 3.1). */
export function metadataUrl(resource: URL): string {
  return resource.origin + metadataPath(resource);
}

function metadataPath({ pathname }: URL): string {
  return WELL_KNOWN + (pathname === ROOT ? "" : pathname);
}

/** The paths the metadata is asked for at: that of the resource, and the root's (M2.1). */
export function metadataPaths(resource: URL): readonly string[] {
  return [...new Set([metadataPath(resource), WELL_KNOWN])];
}

export interface ResourceMetadata {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  /** Algorithms of DPoP proofs; none where there are no bound tokens. */
  readonly dpopAlgorithms: readonly string[];
  readonly dpopRequired: boolean;
  /** Further members. */
  readonly more: JsonObject;
}

/** The document. */
export function resourceMetadata({ resource, issuers, scopes, dpopAlgorithms, dpopRequired, more }: ResourceMetadata): JsonObject {
  return {
    ...more,
    resource,
    authorization_servers: [...issuers],
    bearer_methods_supported: ["header"],
    ...(scopes.length > 0 && { scopes_supported: [...scopes] }),
    ...(dpopAlgorithms.length > 0 && { dpop_signing_alg_values_supported: [...dpopAlgorithms] }),
    ...(dpopRequired && { dpop_bound_access_tokens_required: true }),
  };
}
