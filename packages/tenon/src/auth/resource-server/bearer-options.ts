/** The options of `bearer()`, and their checked form. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { VerifiedToken } from "./verified-token.ts";
import type { AuthRequest } from "./endpoint-auth.ts";
import { checkDpopOptions, type DpopServerOptions, type DpopSettings } from "./dpop-options.ts";
import { guardedFetchOptions, type GuardedFetchOptions } from "../guarded-fetch.ts";
import { INTROSPECTION_OPTIONS, type IntrospectionOptions } from "./introspection-options.ts";
import { isLoopbackName } from "../url-policy.ts";
import { parseResource } from "./published-metadata.ts";
import { assertScopes, requestForm, type ScopeHierarchy } from "../scope.ts";

/**
 * Verifies a token. Returns `undefined` to refuse it. If it throws, the verifier has failed: the request gets a 503 and the error
 * is reported to the operator. (Errors of `jose` about the token count as `undefined`.)
 */
export type TokenVerifier = (token: string, request: AuthRequest) => MaybePromise<VerifiedToken | undefined>;

/** Options of `bearer()`. All times are in milliseconds. */
export interface BearerOptions extends GuardedFetchOptions {
  /**
   * The authorization server whose tokens are accepted, or several, exactly as their tokens and metadata spell it. Clients are
   * sent there. @throws TypeError if it is not an http(s) URL
   */
  issuer: string | readonly string[];
  /**
   * What tokens must name in `aud` to be accepted (RFC 8707), or several such names. The first is the URL of this server as
   * clients know it, unless `resource` is set. Security: without it a token for another server would be accepted here, so there
   * is no default.
   */
  audience: string | readonly string[];
  /** The URL of this server as clients know it, if it differs from the audience. Default: the first audience. */
  resource?: string;
  /** Scopes that every request needs. Default: none. Tools, prompts and resources may require more by their option `scopes`. */
  scopes?: readonly string[];
  /**
   * The scopes that a client should request first, as clients must request them, published in the protected resource metadata. Default: `scopes`.
   * One that ends with a slash and a scope of this server is the form of that scope in challenges: with `["api://app/read"]`,
   * challenges say `api://app/read` for `read`.
   */
  scopesSupported?: readonly string[];
  /**
   * How clients must request a scope, if tokens name it in another way, such as `{ read: "api://app/read" }` (Microsoft Entra ID). Challenges and
   * metadata have these forms. Default: as `scopesSupported` shows, or else as tokens name them.
   */
  scopeForms?: Readonly<Record<string, string>>;
  /** Which scopes include which, such as `{ admin: ["write"], write: ["read"] }`; over several steps too. Default: none. */
  scopeHierarchy?: ScopeHierarchy;
  /**
   * A custom verifier. Default: tokens are JWTs that their issuer has signed (RFC 9068). The issuer's keys are fetched when
   * needed. Security: keys that a token contains or points to are ignored.
   */
  verify?: TokenVerifier;
  /** Asks the issuer about each token (RFC 7662), for tokens that only the issuer can read. One issuer only. Default: off. */
  introspection?: IntrospectionOptions;
  /** The URL of the issuer's keys. One issuer only. Default: the `jwks_uri` of its metadata. */
  jwksUri?: string;
  /**
   * Accepted signature algorithms of JWTs. Default: all known asymmetric ones. Security: symmetric algorithms and `none` are
   * never accepted.
   */
  algorithms?: readonly string[];
  /**
   * Milliseconds for which an accepted token is not verified again, at most until it expires. Security: a revoked token stays
   * accepted for as long. Default: 60 000 for JWTs; 0 with `introspection` or a custom verifier, which then run for every
   * request.
   */
  cacheTtl?: number;
  /**
   * Accepts tokens that are bound to a key, if each request proves possession of the key (DPoP, RFC 9449). Default false: bound
   * tokens are refused. A bound token without a proof is always refused.
   */
  dpop?: boolean | DpopServerOptions;
  /** Milliseconds by which the clocks of issuer and server may differ. Default 60 000; at most 600 000. */
  clockTolerance?: number;
  /** Further members of the protected resource metadata: `resource_name`, `resource_documentation` and so on. Default: none. */
  metadata?: JsonObject;
}

export function bearerOptions(): OptionKeys<BearerOptions> {
  return {
    ...guardedFetchOptions(),
    issuer: 1,
    audience: 1,
    resource: 1,
    scopes: 1,
    scopesSupported: 1,
    scopeForms: 1,
    scopeHierarchy: 1,
    verify: 1,
    introspection: INTROSPECTION_OPTIONS,
    jwksUri: 1,
    algorithms: 1,
    cacheTtl: 1,
    dpop: 1,
    clockTolerance: 1,
    metadata: 1,
  };
}

export interface BearerSettings {
  readonly issuers: readonly string[];
  readonly audiences: ReadonlySet<string>;
  readonly resource: URL;
  readonly scopes: readonly string[];
  readonly scopesSupported: readonly string[];
  /** The form in which clients must request a scope. */
  readonly formOf: (scope: string) => string;
  readonly hierarchy: ReadonlyMap<string, readonly string[]>;
  readonly clockTolerance: number;
  readonly algorithms: readonly string[];
  readonly cacheTtl: number;
  readonly dpop: DpopSettings | undefined;
}

/** Asymmetric algorithms only: a server that checks a token must not be able to make one. */
export const ALGORITHMS: readonly string[] = ["RS", "PS", "ES"]
  .flatMap((kind) => [`${kind}256`, `${kind}384`, `${kind}512`])
  .concat("EdDSA", "Ed25519");
const JWT_TTL = 60_000;

const DEFAULT_TOLERANCE = 60_000;
/** Longest `clockTolerance`, in ms. */
const MAX_TOLERANCE = 600_000;

/** @throws TypeError, RangeError that name the option */
export function checkOptions(options: BearerOptions): BearerSettings {
  assertKnown("bearer()", options, bearerOptions());
  const { clockTolerance = DEFAULT_TOLERANCE, algorithms = ALGORITHMS, verify, introspection } = options;
  const issuers = namesOf("issuer", options.issuer);
  const audiences = namesOf("audience", options.audience);
  for (const issuer of issuers) assertIssuer(issuer);
  const scopes = checkScopes(options);
  assertOneWay(options, issuers);
  assertAlgorithms(algorithms);
  const cacheTtl = options.cacheTtl ?? ((verify ?? introspection) ? 0 : JWT_TTL);
  if (!(cacheTtl >= 0)) throw new RangeError(`Option "cacheTtl" must be milliseconds from 0 on, not ${cacheTtl}`);
  if (!(clockTolerance >= 0 && clockTolerance <= MAX_TOLERANCE))
    throw new RangeError(`Option "clockTolerance" must be milliseconds from 0 to ${MAX_TOLERANCE}, not ${clockTolerance}`);
  return {
    issuers,
    audiences: new Set(audiences.flatMap(spellings)),
    resource: parseResource(options.resource ?? audiences[0]!, options.resource === undefined ? "audience" : "resource"),
    ...scopes,
    clockTolerance,
    algorithms,
    cacheTtl,
    dpop: checkDpopOptions(options.dpop),
  };
}

/** @throws TypeError if a scope is invalid, or is not for servers */
function checkScopes(options: BearerOptions): Pick<BearerSettings, "scopes" | "scopesSupported" | "formOf" | "hierarchy"> {
  const { scopes = [], scopeForms = {}, scopeHierarchy = {} } = options;
  for (const [scope, form] of Object.entries(scopeForms)) assertScopes("scopeForms", [scope, form]);
  const formOf = (scope: string): string =>
    Object.hasOwn(scopeForms, scope) ? scopeForms[scope]! : requestForm(scope, options.scopesSupported ?? []);
  assertOwnScopes("scopes", scopes);
  const scopesSupported = options.scopesSupported ?? scopes.map(formOf);
  assertOwnScopes("scopesSupported", scopesSupported);
  for (const [scope, included] of Object.entries(scopeHierarchy)) assertScopes("scopeHierarchy", [scope, ...included]);
  return { scopes, scopesSupported, formOf, hierarchy: new Map(Object.entries(scopeHierarchy)) };
}

function assertAlgorithms(algorithms: readonly string[]): void {
  const unknown = algorithms.find((algorithm) => !ALGORITHMS.includes(algorithm));
  if (unknown !== undefined) throw new TypeError(`Option "algorithms": ${JSON.stringify(unknown)} is none of ${ALGORITHMS.join(", ")}`);
}

/** @throws TypeError if options for verification exclude each other, or do not work with several issuers */
function assertOneWay({ verify, introspection, jwksUri, algorithms }: BearerOptions, issuers: readonly string[]): void {
  if (verify !== undefined && typeof verify !== "function") throw new TypeError('Option "verify" must be a function');
  const ways = Object.entries({ verify, introspection, jwksUri })
    .filter(([, way]) => way !== undefined)
    .map(([name]) => `"${name}"`);
  if (ways.length > 1) throw new TypeError(`Options ${ways.join(" and ")} exclude each other: a token is verified in one way`);
  if (algorithms !== undefined && (verify ?? introspection)) throw new TypeError('Option "algorithms" is for JWTs that are verified here');
  if (issuers.length > 1 && (introspection ?? jwksUri) !== undefined) throw new TypeError(`Option ${ways[0]!} goes with one issuer only`);
}

/** Checks a required option at run time, because JavaScript callers may omit it. @throws TypeError */
function namesOf(option: "issuer" | "audience", value: string | readonly string[] | undefined): readonly string[] {
  const names = typeof value === "string" ? [value] : (value ?? []);
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => typeof name === "string" && name !== ""))
    throw new TypeError(`bearer() needs option "${option}": ${NEEDS[option]}`);
  return names;
}

const NEEDS = {
  issuer: 'the authorization server whose tokens are taken, such as "https://login.example.com"',
  audience:
    'what tokens for this server name in "aud", such as "https://example.com/mcp"; without it tokens for other servers would open this one',
};

/** @throws TypeError if it cannot be the identifier of an authorization server (RFC 8414 section 2) */
function assertIssuer(issuer: string): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackName(url.hostname));
  if (!safe || /[?#]/.test(issuer))
    throw new TypeError(
      `Option "issuer" must be an https URL without query or fragment, or one on this machine: ${JSON.stringify(issuer)}`,
    );
}

/** Checks the scopes of a server. `offline_access` is not among them, because refresh tokens concern only client and issuer. */
function assertOwnScopes(option: string, scopes: readonly string[]): void {
  assertScopes(option, scopes);
  if (scopes.includes("offline_access"))
    throw new TypeError(`Option "${option}": "offline_access" is for clients to ask for, not for servers`);
}

/** The spellings of an audience: a URL with and without a trailing slash, and with a normalised host. */
function spellings(audience: string): readonly string[] {
  if (!/^https?:/i.test(audience) || !URL.canParse(audience)) return [audience];
  const { href } = new URL(audience);
  const bare = href.replace(/\/$/, "");
  return [audience, bare, `${bare}/`];
}
