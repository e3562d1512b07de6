/** Client metadata (RFC 7591 section 2): registered, passed as an option, or published under a client id that is a URL. */
import type { JSONWebKeySet } from "jose";
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { OAuthError } from "../oauth-error.ts";
import { matchesRedirectUri, objectionTo } from "./redirect-uri.ts";

/** How a client authenticates at the token endpoint (RFC 7591 section 2). */
export type ClientAuthenticationMethod = "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
export const CLIENT_AUTHENTICATION_METHODS: readonly ClientAuthenticationMethod[] = [
  "none",
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
];

/** The members of RFC 7591 section 2 that this server knows, `client_name`, `redirect_uris`, `response_types` and `scope` among them. */
export interface ClientMetadata {
  client_name?: string;
  redirect_uris?: readonly string[];
  /** Default for registered clients: `authorization_code`. For clients of the option `clients`: every grant. */
  grant_types?: readonly string[];
  response_types?: readonly string[];
  /** Default `client_secret_basic`; for clients of the option `clients` without a secret: `none`. */
  token_endpoint_auth_method?: ClientAuthenticationMethod;
  /** Which redirect URIs are allowed (OpenID registration). Default: the URIs of both types. */
  application_type?: "native" | "web";
  scope?: string;
  /** The keys of `private_key_jwt`. */
  jwks?: JSONWebKeySet;
  /** Every token of this client must be bound to a key (RFC 9449 section 5.2). */
  dpop_bound_access_tokens?: boolean;
}

export interface RegisteredClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly authentication: ClientAuthenticationMethod;
  readonly jwks: JSONWebKeySet | undefined;
  readonly dpopBound: boolean;
}

export function toClient(id: string, secret: string | undefined, metadata: ClientMetadata): RegisteredClient {
  return {
    id,
    secret,
    name: metadata.client_name ?? id,
    redirectUris: metadata.redirect_uris ?? [],
    grantTypes: metadata.grant_types ?? ["authorization_code"],
    authentication: metadata.token_endpoint_auth_method ?? "client_secret_basic",
    jwks: metadata.jwks,
    dpopBound: metadata.dpop_bound_access_tokens ?? false,
  };
}

export function allowsRedirect(client: RegisteredClient, uri: string): boolean {
  return client.redirectUris.some((registered) => matchesRedirectUri(registered, uri));
}

export interface MetadataRules {
  readonly grantTypes: readonly string[];
  readonly authenticationMethods: readonly ClientAuthenticationMethod[];
}

/** Checks the metadata, adds defaults, and drops unknown members. @throws OAuthError with a code of RFC 7591 section 3.2.2 */
export function checkClientMetadata(document: JsonObject, rules: MetadataRules): ClientMetadata {
  const applicationType = oneOf(document, "application_type", ["native", "web"] as const);
  const grants = strings(document, "grant_types", rules.grantTypes) ?? ["authorization_code"];
  const responses = strings(document, "response_types", ["code"]) ?? ["code"];
  const method = oneOf(document, "token_endpoint_auth_method", rules.authenticationMethods) ?? "client_secret_basic";
  const name = text(document, "client_name");
  const scope = text(document, "scope");
  const jwks = document["jwks"];
  if (method === "private_key_jwt" && !isKeySet(jwks)) throw invalid('"private_key_jwt" needs the client\'s keys in "jwks"');
  const bound = document["dpop_bound_access_tokens"];
  if (bound !== undefined && typeof bound !== "boolean") throw invalid('"dpop_bound_access_tokens" is not a boolean');
  return {
    redirect_uris: redirectUris(document, grants, applicationType),
    grant_types: grants,
    response_types: responses,
    token_endpoint_auth_method: method,
    ...(applicationType && { application_type: applicationType }),
    ...(name !== undefined && { client_name: name }),
    ...(scope !== undefined && { scope }),
    ...(isKeySet(jwks) && { jwks }),
    ...(bound === true && { dpop_bound_access_tokens: true }),
  };
}

function redirectUris(document: JsonObject, grants: readonly string[], type: "native" | "web" | undefined): readonly string[] {
  const uris = strings(document, "redirect_uris") ?? [];
  if (uris.length === 0 && grants.includes("authorization_code")) {
    throw new OAuthError("invalid_redirect_uri", '"redirect_uris" is missing: the authorization code grant needs one');
  }
  for (const uri of uris) {
    const objection = objectionTo(uri, type);
    if (objection !== undefined) throw new OAuthError("invalid_redirect_uri", `Redirect URI ${JSON.stringify(uri)} ${objection}`);
  }
  return uris;
}

const MAX_ENTRIES = 20;

function strings(document: JsonObject, name: string, allowed?: readonly string[]): readonly string[] | undefined {
  const value = document[name];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_ENTRIES || !value.every((entry) => typeof entry === "string")) {
    throw invalid(`"${name}" is not a list of at most ${MAX_ENTRIES} strings`);
  }
  const unknown = allowed && value.find((entry) => !allowed.includes(entry));
  if (unknown !== undefined) throw invalid(`"${name}" has ${JSON.stringify(unknown)}; this server knows ${allowed!.join(", ")}`);
  return value;
}

function oneOf<T extends string>(document: JsonObject, name: string, allowed: readonly T[]): T | undefined {
  const value = document[name];
  if (value === undefined) return undefined;
  const known = allowed.find((entry) => entry === value);
  if (known === undefined) throw invalid(`"${name}" is ${JSON.stringify(value)}; this server knows ${allowed.join(", ")}`);
  return known;
}

function text(document: JsonObject, name: string): string | undefined {
  const value = document[name];
  if (value !== undefined && (typeof value !== "string" || value.length > 2_048))
    throw invalid(`"${name}" is not a string of at most 2048 characters`);
  return value;
}

/** Checks the form of a key set only. Keys are checked when they are used. */
function isKeySet(value: unknown): value is JSONWebKeySet {
  return isJsonObject(value) && Array.isArray(value["keys"]) && value["keys"].every(isJsonObject);
}

function invalid(description: string): OAuthError {
  return new OAuthError("invalid_client_metadata", description);
}
