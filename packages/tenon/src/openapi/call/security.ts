/**
 * Credentials of a request: the first of the document's requirements for which all schemes have a credential.
 *
 * Credentials come from the operator's options only. The token of the MCP client is never sent on: it was issued for this server.
 */
import { toBase64 } from "../../base/bytes.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { OpenApiDocument } from "../document/document.ts";
import { ArgumentError, UnmappableError } from "../document/errors.ts";
import type { FoundOperation } from "../document/operation.ts";
import type { ApiRequest } from "./api-fetch.ts";
import type { ApiCredential, OpenApiOptions } from "../options.ts";
import { percentEncoded } from "../schema/style.ts";
import { memberOf, objectIn, textIn } from "../document/values.ts";

/** How one scheme is sent. */
interface Scheme {
  readonly name: string;
  readonly kind: "apiKey" | "basic" | "bearer" | "other";
  readonly place?: string | undefined;
  readonly key?: string | undefined;
}

/** Schemes that are sent together; empty for anonymous requests. */
export type Requirement = readonly Scheme[];

/** Which schemes an operation sends. @throws UnmappableError if none of its requirements has all its credentials */
export function requirementOf(
  document: OpenApiDocument,
  { source }: FoundOperation,
  auth: NonNullable<OpenApiOptions["auth"]>,
): Requirement {
  const requirements = memberOf(source, "security") ?? memberOf(document.root, "security");
  const choices = Array.isArray(requirements) ? requirements : [];
  if (choices.length === 0) return [];
  const names = choices.map((choice) => Object.keys((choice ?? {}) as JsonObject));
  const chosen = names.find((schemes) => schemes.every((name) => Object.hasOwn(auth, name)));
  if (chosen !== undefined) return chosen.map((name) => toScheme(document, name));
  const wanted = names.map((schemes) => schemes.join(" and ")).join(", or ");
  throw new UnmappableError(`it needs credentials that option "auth" does not have: ${wanted}`);
}

export function schemesOf(document: OpenApiDocument): readonly string[] {
  return Object.keys(objectIn(objectIn(document.root, "components"), "securitySchemes"));
}

function toScheme(document: OpenApiDocument, name: string): Scheme {
  const source = document.follow(objectIn(objectIn(document.root, "components"), "securitySchemes")[name]);
  const type = textIn(source, "type");
  if (type === "apiKey") return { name, kind: "apiKey", place: textIn(source, "in"), key: textIn(source, "name") };
  const scheme = textIn(source, "scheme")?.toLowerCase();
  if (type === "http" && (scheme === "basic" || scheme === "bearer")) return { name, kind: scheme };
  return { name, kind: type === "oauth2" || type === "openIdConnect" ? "bearer" : "other" };
}

/** Where a requirement is sent, as `header:x-api-key`: those parameters are not arguments. */
export function placesOf(requirement: Requirement): ReadonlySet<string> {
  return new Set(
    requirement.map(({ kind, place, key = "" }) =>
      kind === "apiKey" ? `${place}:${place === "header" ? key.toLowerCase() : key}` : "header:authorization",
    ),
  );
}

/** A request with its credentials, and what of it must not be shown. */
export interface SignedRequest {
  readonly request: ApiRequest;
  readonly secrets: readonly string[];
  /** The credentials that functions returned, by the names of the schemes. */
  readonly returned: Returned;
}

type Returned = ReadonlyMap<string, ApiCredential>;

/** Adds the credentials. `refused` are those that the API has refused. @throws ArgumentError if the caller has none */
export async function withCredentials(
  request: ApiRequest,
  requirement: Requirement,
  auth: NonNullable<OpenApiOptions["auth"]>,
  context: RequestContext,
  refused?: Returned,
): Promise<SignedRequest> {
  let signed = request;
  const secrets: string[] = [];
  const returned = new Map<string, ApiCredential>();
  for (const scheme of requirement) {
    const source = auth[scheme.name]!; // the requirement was chosen by it
    const credential = typeof source === "function" ? await source(context, signed, refused?.get(scheme.name)) : source;
    if (credential === undefined) throw new ArgumentError(`There is no credential of the caller for this API (${scheme.name})`);
    if (typeof source === "function") returned.set(scheme.name, credential);
    signed = apply(signed, scheme, credential, secrets);
  }
  return { request: signed, secrets, returned };
}

/** Whether a request has other credentials than the one that was refused. */
export function isRenewed({ returned }: SignedRequest, refused: SignedRequest): boolean {
  return JSON.stringify([...returned]) !== JSON.stringify([...refused.returned]);
}

function apply(request: ApiRequest, { name, kind, place, key = "" }: Scheme, credential: ApiCredential, secrets: string[]): ApiRequest {
  if (typeof credential === "object" && "headers" in credential) {
    secrets.push(...Object.values(credential.headers));
    return withHeaders(request, credential.headers);
  }
  if (kind === "basic") {
    const pair =
      typeof credential === "object" && "username" in credential
        ? `${credential.username}:${credential.password}`
        : tokenOf(name, credential);
    secrets.push(pair, toBase64(new TextEncoder().encode(pair)));
    return withHeaders(request, { authorization: `Basic ${secrets.at(-1)}` });
  }
  const token = tokenOf(name, credential);
  secrets.push(token);
  if (kind === "bearer") return withHeaders(request, { authorization: `Bearer ${token}` });
  if (kind === "other") throw new TypeError(`Option "auth": the scheme ${name} needs a credential with "headers"`);
  if (place === "header") return withHeaders(request, { [key.toLowerCase()]: token });
  if (place === "cookie") {
    const { cookie } = request.headers;
    return withHeaders(request, { cookie: `${cookie === undefined ? "" : `${cookie}; `}${key}=${token}` });
  }
  const encoded = percentEncoded(token);
  secrets.push(encoded);
  return { ...request, url: `${request.url}${request.url.includes("?") ? "&" : "?"}${percentEncoded(key)}=${encoded}` };
}

function tokenOf(name: string, credential: ApiCredential): string {
  if (typeof credential === "string") return credential;
  if ("token" in credential) return credential.token;
  throw new TypeError(`Option "auth": the scheme ${name} needs a text or { token }`);
}

function withHeaders(request: ApiRequest, added: { readonly [name: string]: string }): ApiRequest {
  const lower = Object.entries(added).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(lower) } };
}

/** The text without credentials that an API may repeat in its errors. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret.length >= 6).reduce((kept, secret) => kept.replaceAll(secret, "[redacted]"), text);
}
