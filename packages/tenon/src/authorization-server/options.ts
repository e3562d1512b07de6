/** The options of `createAuthorizationServer()`, and their checked form. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { guardedFetchOptions, type GuardedFetchOptions } from "../auth/guarded-fetch.ts";
import { isLoopbackName } from "../auth/url-policy.ts";
import { parseResource } from "../auth/resource-server/published-metadata.ts";
import { assertScopes } from "../auth/scope.ts";
import { assertKnown, type OptionKeys } from "../base/known-options.ts";
import { attempt, type MaybePromise } from "../base/maybe-promise.ts";
import { assertSecretKey, MIN_KEY_BYTES } from "../base/secret-key.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { assertClientAddress } from "../server/http/settings.ts";
import type { ClientAddress } from "../server/http/options.ts";
import { MemoryKeyedStore } from "../storage/memory/keyed-store.ts";
import { logError } from "../stores/stores.ts";
import type { EnterpriseAccess } from "./enterprise/enterprise.ts";
import { assertLoginProvider, type LoginProvider, type ProviderUser } from "./login/login-provider.ts";

/** How long things are valid. All times are in milliseconds. */
export interface AuthorizationLifetimes {
  /** Access tokens. Security: a JWT cannot be taken back, so it should live for minutes. Default 600 000 (10 minutes). */
  accessToken: number;
  /** Refresh tokens, from their last use on. Default 2 592 000 000 (30 days). */
  refreshToken: number;
  /** The user's session in a browser, in which the provider is not asked again. Default 28 800 000 (8 hours). */
  session: number;
  /** What a user has allowed a client, with all tokens that come of it. Default 7 776 000 000 (90 days). */
  consent: number;
  /** The time a user has for the consent page and the login. Default 600 000 (10 minutes). */
  login: number;
}

/** What anyone may do without a login. */
export interface AuthorizationLimits {
  /** Clients that are registered at the same time. Those without a user are dropped after a day. Default 10 000. */
  clients: number;
  /** Registrations of one address in an hour. Default 20. */
  registrationsPerHour: number;
  /** Logins that one address begins in a minute. Default 60. */
  loginsPerMinute: number;
  /** Documents and keys of clients that are fetched for one address in a minute; those in the cache do not count. Default 60. */
  documentsPerMinute: number;
}

/** Options of {@link createAuthorizationServer}. */
export interface AuthorizationServerOptions {
  /** The URL of this authorization server: `https://mcp.example.com`, with a path if it shares its origin. The pages are below it. */
  issuer: string;
  /** The URL of the MCP server that tokens are for, or several. A client that names no `resource` gets a token for the only one. */
  resource: string | readonly string[];
  /** The scopes that clients may request, each with a sentence for the consent page: `{ "notes:read": "Read your notes" }`. */
  scopes: Readonly<Record<string, string>>;
  /** Where users log in: an OpenID Connect issuer, or {@link github}. Required, but with `enterprise`: then users cannot log in by a page. */
  provider?: LoginProvider;
  /** Accepts the assertions of companies' identity providers: {@link enterprise}. Default: none. */
  enterprise?: EnterpriseAccess;
  /**
   * Who may log in, by a page or by an assertion. Required with `provider`. Security: without it everyone who has an account at the provider gets a
   * token; at GitHub or Google that is everyone. Default without `provider`: all users of the companies. Example:
   * `({ claims }) => claims.hd === "example.com"`.
   */
  allowUser?: (user: ProviderUser) => MaybePromise<boolean>;
  /** Claims to put into access tokens, such as `({ claims }) => ({ groups: claims.groups })`. Default: none; the subject is an opaque hash. */
  claims?: (user: ProviderUser) => MaybePromise<JsonObject>;
  /** Stores of `tenon/stores/redis` or `tenon/stores/postgres`, for several nodes and for restarts. Default: the memory of this process. */
  stores?: { readonly keyed: KeyedStore };
  /** At least 32 random bytes, the same on all nodes and after a restart. They seal what is stored and sign cookies. Required with `stores`. */
  secret?: Uint8Array;
  /** Hosts of `https:` redirect URIs that clients may register, such as `["claude.ai"]`. Default: any. */
  redirectHosts?: readonly string[];
  /** Schemes of programs that clients may register redirect URIs for. Default `["cursor", "vscode", "vscode-insiders"]`. */
  redirectSchemes?: readonly string[];
  /** Whether clients may register by a request (RFC 7591). Client id metadata documents always work. Default true. */
  registration?: boolean;
  /** How long things are valid. Default: see each time. */
  lifetimes?: Partial<AuthorizationLifetimes>;
  /** Limits of what anyone may do without a login. Default: see each limit. */
  limits?: Partial<AuthorizationLimits>;
  /** The address that limits count by. Default: the connection's. Behind a proxy name its header: `"x-forwarded-for"`. */
  clientAddress?: ClientAddress<IncomingMessage>;
  /** How the documents of clients, which anyone can name, and the provider's documents are fetched. Default: https at public addresses only. */
  fetching?: GuardedFetchOptions;
  /** Receives failures: of the provider, of the stores. No contents of tokens. Default: they are written to the console. */
  onError?: (error: unknown) => void;
}

export interface Settings {
  readonly issuer: URL;
  readonly resources: readonly string[];
  readonly scopes: Readonly<Record<string, string>>;
  readonly provider: LoginProvider | undefined;
  readonly enterprise: EnterpriseAccess | undefined;
  readonly allowUser: (user: ProviderUser) => MaybePromise<boolean>;
  readonly claims: ((user: ProviderUser) => MaybePromise<JsonObject>) | undefined;
  readonly keyed: KeyedStore;
  readonly secret: Uint8Array;
  readonly redirectHosts: readonly string[] | undefined;
  readonly redirectSchemes: readonly string[];
  readonly registration: boolean;
  readonly lifetimes: AuthorizationLifetimes;
  readonly limits: AuthorizationLimits;
  readonly clientAddress: ClientAddress<IncomingMessage> | undefined;
  readonly fetching: GuardedFetchOptions;
  readonly onError: (error: unknown) => void;
}

const MINUTE = 60_000;
const DAY: number = 24 * 60 * MINUTE;
const LIFETIMES: AuthorizationLifetimes = {
  accessToken: 10 * MINUTE,
  refreshToken: 30 * DAY,
  session: 8 * 60 * MINUTE,
  consent: 90 * DAY,
  login: 10 * MINUTE,
};
const LIMITS: AuthorizationLimits = { clients: 10_000, registrationsPerHour: 20, loginsPerMinute: 60, documentsPerMinute: 60 };

function optionKeys(): OptionKeys<AuthorizationServerOptions> {
  return {
    ...{ issuer: 1, resource: 1, scopes: 1, provider: 1, allowUser: 1, claims: 1, stores: 1, secret: 1, redirectHosts: 1 },
    enterprise: 1,
    ...{ redirectSchemes: 1, registration: 1, clientAddress: 1, onError: 1 },
    fetching: guardedFetchOptions(),
    lifetimes: { accessToken: 1, refreshToken: 1, session: 1, consent: 1, login: 1 },
    limits: { clients: 1, registrationsPerHour: 1, loginsPerMinute: 1, documentsPerMinute: 1 },
  };
}

/** @throws TypeError, RangeError that name the option */
export function checkOptions(options: AuthorizationServerOptions): Settings {
  if (typeof options !== "object" || options === null) throw new TypeError("The options of createAuthorizationServer() must be an object");
  const { provider: _provider, scopes: _scopes, enterprise: _enterprise, ...others } = options; // their keys are checked with their values
  assertKnown("createAuthorizationServer()", others, optionKeys());
  const isForCompanies = options.enterprise !== undefined && options.provider === undefined;
  if (!isForCompanies) assertLoginProvider(options.provider);
  assertClientAddress(options.clientAddress);
  const allowUser = options.allowUser ?? (isForCompanies ? (): boolean => true : undefined);
  if (typeof allowUser !== "function")
    throw new TypeError('createAuthorizationServer() needs option "allowUser": who may log in; () => true for everyone at the provider');
  const resources = [options.resource].flat();
  if (resources.length === 0) throw new TypeError('Option "resource" must name at least one MCP server');
  assertEnterprise(options.enterprise, resources);
  return {
    issuer: checkIssuer(options.issuer),
    resources: resources.map((resource) => parseResource(resource, "resource") && resource),
    scopes: checkScopes(options.scopes),
    provider: options.provider,
    enterprise: options.enterprise,
    allowUser,
    claims: options.claims,
    keyed: options.stores?.keyed ?? new MemoryKeyedStore(),
    secret: checkSecret(options),
    redirectHosts: options.redirectHosts,
    redirectSchemes: options.redirectSchemes ?? ["cursor", "vscode", "vscode-insiders"],
    registration: options.registration ?? true,
    lifetimes: checkNumbers("lifetimes", LIFETIMES, options.lifetimes, 1_000),
    limits: checkNumbers("limits", LIMITS, options.limits, 1),
    clientAddress: options.clientAddress,
    fetching: options.fetching ?? {},
    onError: (error) =>
      void attempt(
        () => (options.onError ?? logError)(error),
        () => undefined, // a listener that fails changes nothing for clients
      ),
  };
}

function assertEnterprise(access: EnterpriseAccess | undefined, resources: readonly string[]): void {
  if (access === undefined) return;
  if (typeof access.find !== "function") throw new TypeError('Option "enterprise" must be what enterprise({ idp, resource }) returns');
  const unknown = access.resources?.find((resource) => !resources.includes(resource));
  if (unknown !== undefined)
    throw new TypeError(`Option "resource" of enterprise() must be one of ${resources.join(", ")}, not ${JSON.stringify(unknown)}`);
}

/** @throws TypeError if it cannot be the identifier of an authorization server (RFC 8414 section 2) */
function checkIssuer(issuer: string): URL {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (url === undefined || !isSafe || /[?#@]|\/$/.test(issuer) || url.href.replace(/\/$/, "") !== issuer)
    throw new TypeError(
      `Option "issuer" must be an https URL without query, fragment and slash at its end, or one on this machine: ${JSON.stringify(issuer)}`,
    );
  return url;
}

function checkScopes(scopes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (typeof scopes !== "object" || scopes === null || Object.keys(scopes).length === 0)
    throw new TypeError('Option "scopes" must hold at least one scope with its sentence, such as { "notes:read": "Read your notes" }');
  assertScopes("scopes", Object.keys(scopes));
  return { ...scopes };
}

/** @throws TypeError, RangeError */
function checkSecret({ secret, stores }: AuthorizationServerOptions): Uint8Array {
  if (secret === undefined && stores !== undefined)
    throw new TypeError('Option "stores" needs option "secret": what is stored must be readable on all nodes and after a restart');
  if (secret === undefined) return randomBytes(MIN_KEY_BYTES);
  assertSecretKey("secret", secret);
  return secret;
}

function checkNumbers<T extends object>(group: string, defaults: T, numbers: Partial<T> | undefined, least: number): T {
  const merged = { ...defaults, ...numbers };
  for (const [name, value] of Object.entries(merged)) {
    if (!(typeof value === "number" && value >= least && value < Infinity))
      throw new RangeError(`Option "${group}.${name}" must be a number from ${least} on, not ${String(value)}`);
  }
  return merged;
}
