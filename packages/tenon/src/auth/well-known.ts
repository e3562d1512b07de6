/**
 * The well-known URLs of metadata: an authorization server's (RFC 8414 section 3, OpenID Connect Discovery) and a protected
 * resource's (RFC 9728 section 3.1). Clients read them, and servers publish them.
 */

const RESOURCE = "/.well-known/oauth-protected-resource";
const ISSUER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

/** The paths at which a resource publishes its metadata, in the order clients try them: its own, then the origin's. */
export function resourceMetadataPaths({ pathname, search }: URL): readonly string[] {
  // The well-known name goes between host and path; a root has no path.
  return [...new Set([`${RESOURCE}${pathname === "/" ? "" : pathname}${search}`, RESOURCE])];
}

/** The URLs at which an authorization server publishes its metadata, in the order clients try them. */
export function issuerMetadataUrls({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  const urls = [`${origin}${ISSUER}${path}`, `${origin}${OPENID}${path}`];
  return path === "" ? urls : [...urls, `${origin}${path}${OPENID}`];
}

/** The URL of an authorization server that the MCP server does not name, because it is the server's own origin (2025-03-26). */
export function assumedIssuerMetadataUrl({ origin }: URL): string {
  return origin + ISSUER;
}
