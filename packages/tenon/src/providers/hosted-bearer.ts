/**
 * `bearer()` for one provider: the issuer by the name the provider knows, its own way to say who a token is for, and errors that name the
 * step in its console.
 */
import { assertKnown } from "../base/known-options.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { bearer, type BearerAuth } from "../auth/resource-server/bearer.ts";
import { bearerOptions, checkOptions, type BearerOptions, type TokenVerifier } from "../auth/resource-server/bearer-options.ts";
import { AccessRefusedError, quoted } from "../auth/resource-server/judge-token.ts";
import { unverifiedClaims } from "../auth/resource-server/unverified-claims.ts";
import { verifierOf } from "../auth/resource-server/token-verifier.ts";
import type { VerifiedToken } from "../auth/resource-server/verified-token.ts";

/** What a provider decides for `bearer()`. */
const DECIDED = ["issuer", "audience", "resource", "verify", "introspection", "jwksUri"] as const;
/** The options of `bearer()` that a provider decides. */
export type Decided = (typeof DECIDED)[number];

/** What all providers take: the URL of the server, and the options of `bearer()` that the provider leaves open. */
export interface HostedProviderOptions extends Omit<BearerOptions, Decided> {
  /** The URL of this server as clients know it: `https://files.example.com/mcp`. @throws TypeError if it is not an http(s) URL */
  readonly url: string;
}

/** How a provider writes tokens, and where its console says so. */
export interface ProviderWay {
  readonly issuer: string;
  /** The options that decide it, in quotes. */
  readonly issuerFrom: string;
  /** What tokens for this server name in `aud`. */
  readonly audiences: readonly string[];
  /** The URL of its keys. Default: as its metadata says. */
  readonly jwksUri?: string;
  /** What to do at the provider if a token is for another audience, or for none. */
  readonly audienceStep: string;
  /** What to do if a token is no JWT. */
  readonly opaqueStep: string;
  /** What to do about a token that is refused, by its claims, which are not verified. */
  readonly refusedStep?: (claims: JsonObject) => string | undefined;
  /** Reads what the provider says in a way of its own. @throws AccessRefusedError if it refuses the token */
  readonly adapt?: (token: VerifiedToken) => VerifiedToken;
}

interface NamedWay extends ProviderWay {
  readonly name: string;
}

/** Milliseconds for which an accepted token is not verified again, as with `bearer()`. */
const CACHE_TTL = 60_000;

type Names = Readonly<Record<string, 1>>;

/**
 * @param own the names of the options that only this provider has
 * @param open the options that `bearer()` gets as they are
 * @throws TypeError, RangeError that name the option
 */
export function hostedBearer(
  name: string,
  options: Pick<HostedProviderOptions, "url">,
  { own, open, way }: { readonly own: Names; readonly open: Omit<HostedProviderOptions, "url">; readonly way: ProviderWay },
): BearerAuth {
  assertKnown(name, options, { ...keysOfAll(), ...own });
  const { issuer, audiences: audience, jwksUri } = way;
  const all: BearerOptions = { ...open, issuer, audience, resource: options.url, ...(jwksUri !== undefined && { jwksUri }) };
  const settings = checkOptions(all);
  const byKeys = verifierOf(all, settings);
  const { algorithms: _algorithms, jwksUri: _jwksUri, ...rest } = all;
  const auth = bearer({ cacheTtl: CACHE_TTL, ...rest, verify: verifier(byKeys, settings.audiences, { ...way, name }) });
  WAYS.set(auth, way);
  return auth;
}

const WAYS = new WeakMap<BearerAuth, ProviderWay>();

/** How the provider of a door writes tokens. */
export function wayOf(auth: BearerAuth): ProviderWay | undefined {
  return WAYS.get(auth);
}

function keysOfAll(): Record<string, unknown> {
  const open = Object.entries(bearerOptions()).filter(([key]) => !DECIDED.includes(key as Decided));
  return { ...Object.fromEntries(open), url: 1 };
}

function verifier(byKeys: TokenVerifier, audiences: ReadonlySet<string>, way: NamedWay): TokenVerifier {
  return async (token, request) => {
    if (token.split(".").length !== 3) throw new AccessRefusedError(`Access token refused: it is not a JWT. ${way.opaqueStep}`);
    const verified = await explained(token, way, async () => byKeys(token, request));
    const read = verified && (way.adapt?.(verified) ?? verified);
    if (read !== undefined) assertAudience(read, audiences, way);
    return read;
  };
}

function assertAudience({ audience }: VerifiedToken, audiences: ReadonlySet<string>, { audienceStep }: ProviderWay): void {
  const names = [audience].flat();
  if (names.some((name) => audiences.has(name))) return;
  const named = names.length === 0 ? "it names no audience" : `it was issued for another audience: ${quoted(names)}`;
  throw new AccessRefusedError(`Access token refused: ${named}. ${audienceStep}`);
}

/** A refusal says what to do at the provider, where that is known. */
async function explained<T>(token: string, way: NamedWay, verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    if (!(error instanceof AccessRefusedError)) throw error;
    const claims = unverifiedClaims(token);
    const step = way.refusedStep?.(claims) ?? issuerStep(claims, way);
    throw step === undefined ? error : new AccessRefusedError(`${error.message}. ${step}`, { cause: error });
  }
}

/** A token of another tenant: which option would accept it. */
function issuerStep({ iss }: JsonObject, { name, issuer, issuerFrom }: NamedWay): string | undefined {
  return iss === issuer ? undefined : `Of ${name}, ${issuerFrom} must name what issued the token`;
}

/** The URL of this server, in a program without types too. @throws TypeError */
export function urlOf(name: string, { url }: { readonly url: unknown }): string {
  if (typeof url === "string" && URL.canParse(url)) return url;
  throw new TypeError(`${name} needs option "url": the URL of this server as clients know it, such as "https://files.example.com/mcp"`);
}

/** The https origin of a host name, or of a URL. @throws TypeError */
export function originOf(name: string, option: string, value: unknown): string {
  const url = typeof value === "string" && value !== "" ? (value.includes("://") ? value : `https://${value}`) : "";
  if (!URL.canParse(url) || new URL(url).pathname !== "/" || /[?#@]/.test(url))
    throw new TypeError(`${name} needs option "${option}": the host name that the provider shows, not ${JSON.stringify(value)}`);
  return new URL(url).origin;
}

/** A URL without a slash at its end. @throws TypeError */
export function baseOf(name: string, option: string, value: unknown): string {
  if (typeof value !== "string" || !/^https?:\/\//.test(value) || !URL.canParse(value) || /[?#@]/.test(value))
    throw new TypeError(`${name} needs option "${option}": an https URL, not ${JSON.stringify(value)}`);
  return value.replace(/\/+$/, "");
}

/** @throws TypeError if an option that the provider needs is no text */
export function assertText(name: string, option: string, value: unknown, what: string): void {
  if (typeof value !== "string" || value.trim() === "") throw new TypeError(`${name} needs option "${option}": ${what}`);
}

/** A token that names no audience, of a client that the operator has named, is for this server. */
export function boundByClient(token: VerifiedToken, clientIds: readonly string[], url: string): VerifiedToken {
  const { client_id: client, aud } = token.claims ?? {};
  const isNamed = typeof client === "string" && clientIds.includes(client);
  return isNamed && (aud === undefined || aud === null) ? { ...token, audience: url } : token;
}
