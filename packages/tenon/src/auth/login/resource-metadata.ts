/**
 * Reads which authorization servers a protected server trusts (RFC 9728).
 *
 * Security: the document must come from the server's own origin and be about that server. Otherwise an attacker could have
 * a valid token requested for one server and sent to another.
 */
import { AuthorizationError } from "../authorization-error.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import { isStrings, type JsonDocument } from "../json-document.ts";
import { isScopeToken, type Scope } from "../scope.ts";
import { resourceMetadataPaths } from "../well-known.ts";

export interface ResourceMetadata {
  readonly url: string;
  /** The resource that tokens are requested for, as published. */
  readonly resource: string;
  /** Issuers, at least one. */
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: Scope | undefined;
  /** Whether the server requires proofs of possession (RFC 9728 section 2). */
  readonly dpopRequired: boolean;
}

const HOP = "protected resource metadata";

export interface ResourceMetadataSearch {
  readonly server: URL;
  /** The URL of the metadata in the server's challenge, if the challenge has one. */
  readonly named: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Finds the metadata of a server; undefined if it has none, such as a server of 2025-03-26.
 * @throws AuthorizationError if there is a document and it cannot be used
 */
export async function findResourceMetadata(
  documents: GuardedFetch,
  { server, named, signal }: ResourceMetadataSearch,
): Promise<ResourceMetadata | undefined> {
  for (const url of candidates(server, named)) {
    const document = await documents.json(url, { hop: HOP, isGuess: url !== named, signal });
    if (document.isPage) continue;
    if (document.status === 200) return checkResourceMetadata(document, server);
    if (document.status < 400 || document.status > 499) throw problem(url, `it answered with HTTP ${document.status}`, RETRY);
  }
  return undefined;
}

const REPAIR = "The operator of the MCP server must repair this.";
const OWN_URL =
  'The operator of the MCP server must repair this: it must name the URL that clients use (its options "audience" and "resource").';
const RETRY = "Try again later; if it stays so, tell the operator of the MCP server.";

function problem(url: string | URL, what: string, remedy = REPAIR): AuthorizationError {
  return new AuthorizationError({ hop: HOP, url, problem: what, remedy });
}

/** The URLs to try, in order, each once. */
function candidates(server: URL, named: string | undefined): readonly string[] {
  const wellKnown = resourceMetadataPaths(server).map((path) => server.origin + path);
  return [...new Set([...(named === undefined ? [] : [checkMetadataUrl(server, named)]), ...wellKnown])];
}

/** @throws AuthorizationError if the URL has another origin, because only the server itself may say whom it trusts */
export function checkMetadataUrl(server: URL, named: string): string {
  const url = URL.canParse(named) ? new URL(named) : undefined;
  if (url?.origin === server.origin) return named;
  const what = url === undefined ? "is no URL" : "is not on the server's own origin";
  throw new AuthorizationError({ hop: "challenge", url: server, problem: `the resource_metadata it names ${what}`, remedy: OWN_URL });
}

/** @throws AuthorizationError if the document is about another server or names no issuer */
function checkResourceMetadata({ url, json }: JsonDocument, server: URL): ResourceMetadata {
  const { resource, authorization_servers, dpop_bound_access_tokens_required } = json ?? {};
  const scopes = json?.["scopes_supported"] ?? undefined; // some servers write null for a missing member
  if (typeof resource !== "string" || !URL.canParse(resource)) throw problem(url, '"resource" is no URL');
  if (!isResourceOf(resource, server)) throw problem(url, '"resource" is another server than the one that was asked', MISMATCH);
  if (!isStrings(authorization_servers) || authorization_servers.length === 0)
    throw problem(url, '"authorization_servers" names no authorization server');
  if (scopes !== undefined && !(isStrings(scopes) && scopes.every(isScopeToken)))
    throw problem(url, '"scopes_supported" is not a list of scopes');
  return {
    url,
    resource,
    authorizationServers: authorization_servers,
    scopesSupported: scopes === undefined || scopes.length === 0 ? undefined : [...new Set(scopes)],
    dpopRequired: dpop_bound_access_tokens_required === true,
  };
}

const MISMATCH = "No token was asked for. Check the URL you connect to; if it is right, the operator of the server must repair this.";

/**
 * Whether the resource has the same origin, and the same path or one above it (RFC 8707 section 2). A trailing slash makes no
 * difference.
 */
function isResourceOf(resource: string, server: URL): boolean {
  const { origin, pathname, search, hash } = new URL(resource);
  if (origin !== server.origin || hash !== "" || (search !== "" && search !== server.search)) return false;
  return withSlash(server.pathname).startsWith(withSlash(pathname));
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}
