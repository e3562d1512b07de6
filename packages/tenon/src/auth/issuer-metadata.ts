/**
 * Reads the metadata of an authorization server (RFC 8414, OpenID Connect Discovery; MCP 2025-11-25, Authorization,
 * Authorization server discovery).
 *
 * Security: a document that names another issuer than the requested one is refused, because its author could otherwise
 * impersonate any issuer. Members that are not in {@link IssuerMetadata} are dropped.
 */
import { LAST_VERSION_WITHOUT_RESOURCE_METADATA } from "../protocol/versions.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { isSameIssuer } from "./issuer-name.ts";
import { isStrings, type JsonDocument } from "./json-document.ts";
import type { AuthResponse } from "./web-fetch.ts";
import { assumedIssuerMetadataUrl, issuerMetadataUrls } from "./well-known.ts";

/**
 * The metadata of an authorization server, by the names of RFC 8414 section 2. It says who the server is (`issuer`); where users log in
 * (`authorization_endpoint`), tokens are requested (`token_endpoint`), revoked (`revocation_endpoint`) and introspected
 * (`introspection_endpoint`), clients register (`registration_endpoint`) and devices begin (`device_authorization_endpoint`); its
 * keys (`jwks_uri`); and what it supports: `scopes_supported`, `grant_types_supported`, `code_challenge_methods_supported`,
 * `token_endpoint_auth_methods_supported`, `dpop_signing_alg_values_supported`, `authorization_grant_profiles_supported`,
 * `client_id_metadata_document_supported`, `authorization_response_iss_parameter_supported`.
 */
export interface IssuerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly registration_endpoint?: string;
  readonly device_authorization_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly introspection_endpoint?: string;
  readonly jwks_uri?: string;
  readonly scopes_supported?: string[];
  readonly grant_types_supported?: string[];
  readonly code_challenge_methods_supported?: string[];
  readonly token_endpoint_auth_methods_supported?: string[];
  readonly dpop_signing_alg_values_supported?: string[];
  readonly authorization_grant_profiles_supported?: string[];
  readonly client_id_metadata_document_supported?: boolean;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** The metadata of an issuer, and how its clock differs from the local one. */
export interface Issuer {
  readonly metadata: IssuerMetadata;
  /** The URL of the document; undefined for the default endpoints of 2025-03-26. */
  readonly url: string | undefined;
  /** Milliseconds the server's clock is ahead of the local one. */
  readonly skew: number;
}

const HOP = "authorization server metadata";
const URLS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "device_authorization_endpoint",
  "revocation_endpoint",
  "introspection_endpoint",
  "jwks_uri",
] as const;
const LISTS = [
  "scopes_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "dpop_signing_alg_values_supported",
  "authorization_grant_profiles_supported",
] as const;
const FLAGS = ["client_id_metadata_document_supported", "authorization_response_iss_parameter_supported"] as const;

const REPAIR = "The operator of the authorization server must repair this.";

function problem(url: string | URL, what: string, remedy = REPAIR): AuthorizationError {
  return new AuthorizationError({ hop: HOP, url, problem: what, remedy });
}

/** Finds the metadata of an issuer that an MCP server or the user named. The result has the document's own spelling of its name. */
export async function findIssuer(documents: GuardedFetch, issuer: string, signal?: AbortSignal): Promise<Issuer> {
  documents.check(issuer, HOP);
  if (new URL(issuer).search !== "") throw problem(issuer, "an issuer has no query");
  const urls = issuerMetadataUrls(new URL(issuer));
  const found = await firstOf(documents, { urls, signal });
  if (found === undefined) throw problem(issuer, `it publishes no metadata (tried ${urls.length} well-known places)`);
  const own = found.json?.["issuer"];
  if (typeof own !== "string" || !isSameIssuer(own, issuer))
    throw problem(found.url, "it names another issuer than the one that was asked for", MISMATCH);
  return toIssuer(found, own);
}

const MISMATCH =
  "Nothing was sent to it. The operators of the MCP server and of the authorization server must make the two names equal, to the letter (only a slash after the host may differ).";

/** The revision of servers that name no authorization server. It requires this header. */
const REVISION = { "mcp-protocol-version": LAST_VERSION_WITHOUT_RESOURCE_METADATA };

/**
 * Finds the authorization server of an MCP server that names none: its own origin, with default endpoints if it publishes no
 * metadata (MCP 2025-03-26, Authorization).
 * @throws AuthorizationError
 */
export async function assumeIssuer(documents: GuardedFetch, server: URL, signal?: AbortSignal): Promise<Issuer> {
  const { origin } = server;
  documents.check(origin, HOP);
  const urls = [assumedIssuerMetadataUrl(server)];
  const found = await firstOf(documents, { urls, headers: REVISION, signal }).catch((error: unknown) => {
    // In a browser the request fails if the other origin does not allow the header by CORS, so it is repeated without.
    if (error instanceof AuthorizationError && error.cause instanceof TypeError) return firstOf(documents, { urls, signal });
    throw error;
  });
  if (found === undefined) {
    const metadata = {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ["S256"],
    };
    return { metadata, url: undefined, skew: 0 };
  }
  const issuer = found.json?.["issuer"];
  if (typeof issuer !== "string" || !isSameIssuer(issuer, origin))
    throw problem(found.url, "it names another issuer than the server's origin", MISMATCH);
  return toIssuer(found, issuer);
}

interface Search {
  readonly urls: readonly string[];
  readonly headers?: { readonly [name: string]: string };
  readonly signal: AbortSignal | undefined;
}

/** Finds the first document at one of these URLs; undefined if there is none. @throws AuthorizationError */
async function firstOf(documents: GuardedFetch, { urls, headers = {}, signal }: Search): Promise<JsonDocument | undefined> {
  for (const url of urls) {
    const document = await documents.json(url, { hop: HOP, headers, isGuess: true, signal });
    if (document.isPage) continue;
    if (document.status === 200) return document;
    if (document.status < 400 || document.status > 499) {
      throw problem(
        url,
        `it answered with HTTP ${document.status}`,
        "Try again later; if it stays so, tell the operator of the authorization server.",
      );
    }
  }
  return undefined;
}

/** @throws AuthorizationError if a member has a wrong type */
function toIssuer({ url, json = {}, headers }: JsonDocument, issuer: string): Issuer {
  const metadata: Record<string, unknown> = { issuer };
  for (const name of URLS) copy(name, (value) => typeof value === "string" && URL.canParse(value), "is no URL");
  for (const name of LISTS) copy(name, isStrings, "is not a list of strings");
  for (const name of FLAGS) copy(name, (value) => typeof value === "boolean", "is neither true nor false");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each member was just checked
  return { metadata: metadata as unknown as IssuerMetadata, url, skew: skewOf(headers) };

  function copy(name: string, isRight: (value: unknown) => boolean, what: string): void {
    const value = json[name];
    if (value === undefined || value === null) return;
    if (!isRight(value)) throw problem(url, `"${name}" ${what}`);
    metadata[name] = value;
  }
}

/** Longest difference to believe, in ms. A larger one is an error or an attack. */
const MAX_SKEW = 60 * 60_000;
/** Shortest difference that matters, in ms, because headers have whole seconds and take time to arrive. */
const MIN_SKEW = 10_000;

/**
 * The difference between the server's clock and the local one by a response's headers, in ms; 0 if they do not show one. `Age` is
 * the time in a cache.
 */
export function skewOf(headers: AuthResponse["headers"]): number {
  const date = headers.get("date");
  const age = Number(headers.get("age") ?? 0);
  const skew = date === null ? Number.NaN : Date.parse(date) + age * 1000 - Date.now();
  return Math.abs(skew) >= MIN_SKEW && Math.abs(skew) <= MAX_SKEW ? skew : 0;
}
