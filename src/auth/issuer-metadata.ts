/**
 * What an authorization server says of itself (RFC 8414, OpenID Connect Discovery; requirements M2.4, M2.5, M7.1).
 *
 * A document that names another issuer than the one asked for is not used: whoever can write one could otherwise pass for
 * any other. What is not listed in {@link IssuerMetadata} is dropped.
 */
import { LAST_VERSION_WITHOUT_RESOURCE_METADATA } from "../protocol/versions.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import { isStrings, type JsonDocument } from "./json-document.ts";
import type { AuthResponse } from "./web-fetch.ts";
import { assumedIssuerMetadataUrl, issuerMetadataUrls } from "./well-known.ts";

/**
 * What an authorization server says of itself, by the names of RFC 8414 section 2, which `oauth4webapi` takes as they are: who it is
 * (`issuer`); where users log in (`authorization_endpoint`), tokens are got (`token_endpoint`), given back (`revocation_endpoint`) and
 * looked up (`introspection_endpoint`), clients register (`registration_endpoint`) and devices begin (`device_authorization_endpoint`);
 * its keys (`jwks_uri`); and what it takes: `scopes_supported`, `grant_types_supported`, `code_challenge_methods_supported`,
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

/** What was found, and how the server's clock differs from ours. */
export interface Issuer {
  readonly metadata: IssuerMetadata;
  /** Where it was found; undefined for the endpoints that 2025-03-26 assumes. */
  readonly url: string | undefined;
  /** Milliseconds the server's clock is ahead of ours. */
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

const REPAIR = "This is for whoever runs the authorization server to repair.";

function problem(url: string | URL, what: string, remedy = REPAIR): AuthorizationError {
  return new AuthorizationError({ hop: HOP, url, problem: what, remedy });
}

/** The metadata of an issuer, as named by whoever trusts it. @throws AuthorizationError */
export async function findIssuer(documents: GuardedFetch, issuer: string, signal?: AbortSignal): Promise<Issuer> {
  documents.check(issuer, HOP);
  if (new URL(issuer).search !== "") throw problem(issuer, "an issuer has no query");
  const urls = issuerMetadataUrls(new URL(issuer));
  const found = await firstOf(documents, { urls, signal });
  if (found === undefined) throw problem(issuer, `it publishes no metadata (tried ${urls.length} well-known places)`);
  if (found.json?.["issuer"] !== issuer) throw problem(found.url, "it names another issuer than the one that was asked for", MISMATCH);
  return toIssuer(found, issuer);
}

const MISMATCH = "Nothing was sent to it. Whoever runs the MCP server or the authorization server must make the two agree, to the letter.";

/** The revision of servers that do not name an authorization server: it asks for the header (M2.4). */
const REVISION = { "mcp-protocol-version": LAST_VERSION_WITHOUT_RESOURCE_METADATA };

/**
 * The authorization server of an MCP server that does not name one: its own origin, with default endpoints where it
 * publishes no metadata (2025-03-26, requirement M7.1).
 * @throws AuthorizationError
 */
export async function assumeIssuer(documents: GuardedFetch, server: URL, signal?: AbortSignal): Promise<Issuer> {
  const { origin } = server;
  documents.check(origin, HOP);
  const urls = [assumedIssuerMetadataUrl(server)];
  const found = await firstOf(documents, { urls, headers: REVISION, signal }).catch((error: unknown) => {
    // A browser asks other origins whether they take such a header, and does not say that they do not (M2.7).
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
  if (issuer !== origin && issuer !== `${origin}/`) throw problem(found.url, "it names another issuer than the server's origin", MISMATCH);
  return toIssuer(found, issuer);
}

interface Search {
  readonly urls: readonly string[];
  readonly headers?: { readonly [name: string]: string };
  readonly signal: AbortSignal | undefined;
}

/** The first document at one of these URLs; undefined if none of them has one. @throws AuthorizationError */
async function firstOf(documents: GuardedFetch, { urls, headers = {}, signal }: Search): Promise<JsonDocument | undefined> {
  for (const url of urls) {
    const document = await documents.json(url, { hop: HOP, headers, isGuess: true, signal });
    if (document.isPage) continue;
    if (document.status === 200) return document;
    if (document.status < 400 || document.status > 499) {
      throw problem(
        url,
        `it answered with HTTP ${document.status}`,
        "Try again later; if it stays so, tell whoever runs the authorization server.",
      );
    }
  }
  return undefined;
}

/** @throws AuthorizationError for a member of another type than it must have */
function toIssuer({ url, json = {}, headers }: JsonDocument, issuer: string): Issuer {
  const metadata: Record<string, unknown> = { issuer };
  for (const name of URLS) copy(name, (value) => typeof value === "string" && URL.canParse(value), "is no URL");
  for (const name of LISTS) copy(name, isStrings, "is no list of strings");
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

/** Longest difference that is believed, in ms: a clock that is further off is broken, or lies. */
const MAX_SKEW = 60 * 60_000;
/** Shortest that matters, in ms: a header is in whole seconds, and took its time to come. */
const MIN_SKEW = 10_000;

/** What an answer says of the other side's clock, in ms; 0 where it says nothing of use. A cache says how long it kept it. */
export function skewOf(headers: AuthResponse["headers"]): number {
  const date = headers.get("date");
  const age = Number(headers.get("age") ?? 0);
  const skew = date === null ? Number.NaN : Date.parse(date) + age * 1000 - Date.now();
  return Math.abs(skew) >= MIN_SKEW && Math.abs(skew) <= MAX_SKEW ? skew : 0;
}
