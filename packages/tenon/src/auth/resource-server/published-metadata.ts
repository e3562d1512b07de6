/** Makes the protected resource metadata of a server (RFC 9728), which clients read before they have a token. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { isLoopbackName } from "../url-policy.ts";
import { resourceMetadataPaths } from "../well-known.ts";

/** @throws TypeError if it is not the URL of an MCP endpoint */
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

export function metadataUrl(resource: URL): string {
  return resource.origin + resourceMetadataPaths(resource)[0]!; // the resource's own path is always there
}

export interface PublishedMetadata {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  /** Algorithms of DPoP proofs; empty if bound tokens are not accepted. */
  readonly dpopAlgorithms: readonly string[];
  readonly dpopRequired: boolean;
  readonly more: JsonObject;
}

/** The metadata document of a resource (RFC 9728 section 2). */
export function publishedMetadata({ resource, issuers, scopes, dpopAlgorithms, dpopRequired, more }: PublishedMetadata): JsonObject {
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
