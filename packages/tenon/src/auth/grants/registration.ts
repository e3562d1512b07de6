/**
 * How a client gets its id at an authorization server (MCP 2025-11-25, Authorization, Client Registration Approaches): it is
 * pre-registered, it has a metadata document, or it registers itself (RFC 7591).
 */
import type { OptionKeys } from "../../base/known-options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { RegisteredClient } from "../login/credentials.ts";
import type { GrantContext } from "../login/grant.ts";
import type { IssuerMetadata } from "../issuer-metadata.ts";
import type { OAuthOptions } from "../login/oauth-options.ts";
import { methodFor, type ClientAuthMethod, type OAuthClient, type SigningKey } from "../login/oauth-client.ts";
import { includesScopes, parseScope, type Scope } from "../scope.ts";
import { isLoopbackName } from "../url-policy.ts";

/** A client that was registered by hand. */
export interface PreregisteredClient {
  /** Its `client_id`. */
  readonly id: string;
  /** The client's secret. It is sent only to the issuer of the client, so option `issuer` is required with it. */
  readonly secret?: string;
  /** How the client authenticates. Default with a secret: Basic or post, whichever the server supports. Default without: `none`. */
  readonly method?: ClientAuthMethod;
  /** The key for `private_key_jwt`. */
  readonly key?: SigningKey;
}

/** How a client gets its id at an authorization server. */
export interface RegistrationOptions {
  /** A client that was registered by hand. Default: the client registers itself. */
  readonly client?: PreregisteredClient;
  /**
   * The https URL of this client's metadata document. It is the client's id if the authorization server supports such documents.
   * The document must list the redirect URI.
   */
  readonly clientMetadataUrl?: string;
  /** The name that users see when they are asked for consent. Default `"Tenon"`. */
  readonly clientName?: string;
  /**
   * More client metadata for registration (RFC 7591 section 2), such as `logo_uri`, or `scope` for authorization servers that
   * want all scopes registered that the client will ever ask for. Without it, and without the option `scope`, no scopes are registered.
   * @deprecated in the protocol as of 2026-07-28, as registration is, where it still works: publish the metadata (`clientMetadataUrl`).
   */
  readonly clientMetadata?: JsonObject;
}

export const REGISTRATION_OPTIONS: OptionKeys<RegistrationOptions> = { client: 1, clientMetadataUrl: 1, clientName: 1, clientMetadata: 1 };

/** How the client gets its id at an issuer: it was given, it has a metadata document, or it registers itself. */
export type ClientSource = "given" | "document" | "registration";

/**
 * @param needsIss whether a metadata document needs an issuer that promises to name itself (RFC 9207). Security: anyone may use a document at any
 * issuer, so only the name in the callback tells which issuer a code is of. An issuer that promises none registers the client instead.
 * @throws AuthorizationError if the issuer promises no name, and takes no registrations
 */
export function clientSource({ metadata }: GrantContext["issuer"], options: RegistrationOptions, needsIss: boolean): ClientSource {
  if (options.client !== undefined) return "given";
  if (options.clientMetadataUrl === undefined || metadata.client_id_metadata_document_supported !== true) return "registration";
  if (!needsIss || metadata.authorization_response_iss_parameter_supported === true) return "document";
  if (metadata.registration_endpoint !== undefined) return "registration";
  throw new AuthorizationError({
    hop: "registration",
    url: metadata.issuer,
    problem: 'it does not say that it names itself when it sends a user back ("authorization_response_iss_parameter_supported")',
    remedy: `A login by the client's metadata document could be mixed up with a login at another server, so none was begun. ${BY_HAND}`,
  });
}

type RegistrationWish = RegistrationOptions & Pick<OAuthOptions, "scope">;

/** Finds the client of a login, and registers one if needed. @param source default: without a need for `iss` @throws AuthorizationError */
export async function resolveClient(
  at: GrantContext,
  options: RegistrationWish,
  redirectUri: string | undefined,
  source: ClientSource = clientSource(at.issuer, options, false),
): Promise<OAuthClient> {
  const { metadata } = at.issuer;
  if (source === "given") return toClient(options.client!, metadata); // it was given
  if (source === "document") return { id: options.clientMetadataUrl!, method: "none" }; // there is a document
  const known = await at.credentials.registration(metadata.issuer, at.server);
  const isGood =
    known !== undefined && (redirectUri === undefined || known.redirectUri === redirectUri) && canRequestScope(known, at, options);
  if (isGood) return fromRegistration(known);
  const registered = await register(at, options, redirectUri);
  await at.credentials.saveRegistration(registered, at.server);
  return fromRegistration(registered);
}

/** The client that tokens were issued to, if it is still known. */
export async function knownClient(at: GrantContext, options: RegistrationOptions): Promise<OAuthClient | undefined> {
  const { metadata } = at.issuer;
  if (options.client !== undefined) return toClient(options.client, metadata);
  const registered = await at.credentials.registration(metadata.issuer, at.server);
  if (registered !== undefined) return fromRegistration(registered);
  return options.clientMetadataUrl === undefined ? undefined : { id: options.clientMetadataUrl, method: "none" };
}

export function toClient({ id, secret, method, key }: PreregisteredClient, metadata: IssuerMetadata): OAuthClient {
  const told = method ?? (key === undefined ? undefined : "private_key_jwt");
  const chosen = methodFor(told, secret !== undefined, metadata.token_endpoint_auth_methods_supported);
  return { id, method: chosen, ...(secret !== undefined && { secret }), ...(key !== undefined && { key }) };
}

function fromRegistration({ id, secret, method }: RegisteredClient): OAuthClient {
  return { id, method, ...(secret !== undefined && { secret }) };
}

async function register(at: GrantContext, options: RegistrationWish, redirectUri: string | undefined): Promise<RegisteredClient> {
  const { metadata } = at.issuer;
  const url = metadata.registration_endpoint;
  if (url === undefined) throw cannotRegisterError(at);
  const document = await at.documents.json(url, {
    hop: "registration",
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadataFor(at, options, redirectUri)),
    signal: at.signal,
  });
  const fail: Fail = (problem, remedy, error) => new AuthorizationError({ hop: "registration", url, problem, remedy, error });
  if (document.status !== 201 && document.status !== 200) throw refusalError(document.status, document.json, fail);
  const registered = registeredIn(document.json ?? {}, metadata, fail);
  return { ...registered, issuer: metadata.issuer, redirectUri: redirectUri ?? "", scope: scopeToRegister(at, options) };
}

type Fail = (problem: string, remedy: string, error?: string) => AuthorizationError;

/** Reads the client in the response to a registration. @throws AuthorizationError if this program cannot act as that client */
function registeredIn(json: JsonObject, metadata: IssuerMetadata, fail: Fail): Omit<RegisteredClient, "issuer" | "redirectUri" | "scope"> {
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = json;
  if (typeof client_id !== "string" || client_id === "") throw fail('the response has no "client_id"', REPAIR);
  if (client_secret !== undefined && client_secret !== null && typeof client_secret !== "string")
    throw fail('the response has a "client_secret" that is not a string', REPAIR);
  const secret = typeof client_secret === "string" && client_secret !== "" ? client_secret : undefined;
  const method = registeredMethod(token_endpoint_auth_method, secret !== undefined, metadata.token_endpoint_auth_methods_supported);
  if (method === "private_key_jwt" || (method !== "none" && secret === undefined)) {
    throw fail(`it wants ${method} from a client that has nothing for it`, BY_HAND);
  }
  const seconds = typeof client_secret_expires_at === "number" ? client_secret_expires_at : 0;
  const expiresAt = secret !== undefined && seconds > 0 ? seconds * 1000 : undefined;
  return { id: client_id, secret, method, expiresAt };
}

/**
 * How a registered client authenticates. A secret that was returned is used, even if the server says that the client has none: some servers repeat
 * the method that was asked for and demand the secret nevertheless.
 */
function registeredMethod(told: unknown, hasSecret: boolean, supported: readonly string[] | undefined): ClientAuthMethod {
  if (told !== "none" || !hasSecret) return methodFor(told, hasSecret, supported);
  return supported?.includes("client_secret_basic") === true ? "client_secret_basic" : "client_secret_post";
}

/**
 * The scopes to register: none, unless the user names some. Some servers allow a client only the scopes it has registered, and
 * the first ones are seldom all.
 */
function scopeToRegister(at: GrantContext, { scope, clientMetadata }: RegistrationWish): Scope | undefined {
  if (typeof clientMetadata?.["scope"] === "string") return parseScope(clientMetadata["scope"]);
  return scope === undefined ? undefined : at.scope;
}

/** Whether a registered client may ask for the wanted scopes, or another registration would not help. */
function canRequestScope({ scope }: RegisteredClient, at: GrantContext, { clientMetadata }: RegistrationWish): boolean {
  return scope === undefined || clientMetadata?.["scope"] !== undefined || includesScopes(scope, at.scope);
}

const REPAIR = "The operator of the authorization server must repair this.";
const BY_HAND = 'Register a client there by hand and pass it in option "client".';

function cannotRegisterError(at: GrantContext): AuthorizationError {
  return new AuthorizationError({
    hop: "registration",
    url: at.issuer.metadata.issuer,
    problem: "the authorization server takes neither registrations nor a client that this program has",
    remedy: BY_HAND,
  });
}

function refusalError(status: number, json: JsonObject | undefined, fail: Fail): AuthorizationError {
  const error = typeof json?.["error"] === "string" ? json["error"] : undefined;
  if (error === "invalid_redirect_uri")
    return fail("it does not take this program's redirect URI", `Choose another one, or register by hand. ${BY_HAND}`, error);
  return fail(error === undefined ? `it answered with HTTP ${status}` : "it does not take this program's registration", BY_HAND, error);
}

function metadataFor(at: GrantContext, options: RegistrationWish, redirectUri: string | undefined): JsonObject {
  const { metadata } = at.issuer;
  const scope = scopeToRegister(at, options);
  const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
  const grants = redirectUri === undefined ? [deviceGrant, "refresh_token"] : ["authorization_code", "refresh_token"];
  return {
    ...options.clientMetadata,
    client_name: options.clientName ?? "Tenon",
    grant_types: grants,
    ...(redirectUri !== undefined && { redirect_uris: [redirectUri], response_types: ["code"] }),
    token_endpoint_auth_method: preferredMethod(metadata.token_endpoint_auth_methods_supported),
    application_type: redirectUri === undefined || isNative(redirectUri) ? "native" : "web",
    ...(scope !== undefined && { scope: scope.join(" ") }),
    ...(at.dpop !== undefined && { dpop_bound_access_tokens: true }),
  };
}

/** The preferred method is `none`, because a program on the user's machine cannot keep a secret. */
function preferredMethod(supported: readonly string[] | undefined): ClientAuthMethod {
  const known = ["none", "client_secret_basic", "client_secret_post"] as const;
  return (supported === undefined ? undefined : known.find((method) => supported.includes(method))) ?? "none";
}

/** Whether a redirect ends on the user's machine (OpenID Connect Registration section 2). */
function isNative(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return (protocol !== "https:" && protocol !== "http:") || isLoopbackName(hostname);
}
