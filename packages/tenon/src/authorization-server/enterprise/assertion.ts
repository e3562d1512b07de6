/**
 * Verifies the assertion of a company's identity provider (ID-JAG): its signature, and each claim of the profile.
 *
 * MCP extension Enterprise-Managed Authorization, section 5.1; Identity Assertion JWT Authorization Grant, sections 3 and 4.4. It does not
 * remember assertions: `enterprise-grant.ts` lets each one count once.
 */
import { decodeJwt, errors, jwtVerify, type JWTPayload } from "jose";
import { isSameIssuer } from "../../auth/issuer-name.ts";
import { ALGORITHMS } from "../../auth/resource-server/bearer-options.ts";
import { AccessRefusedError } from "../../auth/resource-server/judge-token.ts";
import type { CompanyProvider } from "./enterprise.ts";
import type { TrustedProviders } from "./trusted-providers.ts";

/** Seconds that the clocks of the identity provider and of this server may differ. */
export const CLOCK_TOLERANCE = 60;
/** Seconds between `iat` and `exp`: clients use an assertion at once, and it is remembered until it has expired. */
const MAX_LIFETIME = 3_600;
/** Characters. An ID-JAG has about a thousand. */
const MAX_LENGTH = 16_384;
const MAX_NAME = 256;
const TYPE = "oauth-id-jag+jwt";
const REQUIRED = ["sub", "iat", "exp", "jti", "client_id", "resource"];

export interface Assertion {
  readonly provider: CompanyProvider;
  readonly claims: JWTPayload;
  readonly subject: string;
  readonly tenant: string | undefined;
  readonly jti: string;
  /** Seconds since 1970. */
  readonly expiry: number;
  /** The MCP servers that it is for. */
  readonly resources: readonly string[];
  /** Undefined if it says nothing about scopes. */
  readonly scopes: readonly string[] | undefined;
}

export interface AssertionUse {
  /** The issuer of this authorization server. */
  readonly issuer: string;
  /** The client that has authenticated. */
  readonly clientId: string;
  readonly providers: TrustedProviders;
}

/** @throws AccessRefusedError if the assertion is not good; other errors if the keys of its issuer cannot be read */
export async function verifyAssertion(text: string, use: AssertionUse): Promise<Assertion> {
  if (text.length > MAX_LENGTH) throw refused(`it has more than ${MAX_LENGTH} characters`);
  const trusted = await use.providers.find(issuerOf(text));
  if (trusted === undefined) throw refused("its issuer is not trusted here");
  const { provider, keys } = trusted;
  const { payload } = await jwtVerify(text, (header, input) => keys.find(header, input), {
    issuer: provider.issuer,
    typ: TYPE,
    algorithms: [...ALGORITHMS],
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: MAX_LIFETIME, // refuses an `iat` in the future, too
    requiredClaims: REQUIRED,
  }).catch((error: unknown) => {
    throw error instanceof errors.JOSEError && !isAboutKeys(error) ? refused(wordsOf(error)) : error;
  });
  assertAudience(payload, use);
  assertBinding(payload, provider);
  return {
    provider,
    claims: payload,
    subject: nameOf(payload, "sub"),
    tenant: tenantOf(payload, provider),
    jti: nameOf(payload, "jti"),
    expiry: payload.exp!, // it is required
    resources: resourcesOf(payload),
    scopes: scopesOf(payload),
  };
}

/** The issuer that it claims to be from, which is not verified yet. @throws AccessRefusedError */
function issuerOf(text: string): string {
  try {
    const { iss } = decodeJwt(text);
    if (typeof iss === "string" && iss.length <= 2_048) return iss;
  } catch {
    throw refused("it is not a JWT");
  }
  throw refused("it names no issuer");
}

/** For this server alone, and for the client that has authenticated. @throws AccessRefusedError */
function assertAudience({ aud, client_id, iat, exp }: JWTPayload, { issuer, clientId }: AssertionUse): void {
  const [audience, ...others] = [aud ?? []].flat();
  if (typeof audience !== "string" || !isSameIssuer(audience, issuer)) throw refused(`its audience is not "${issuer}"`);
  if (others.length > 0) throw refused("it has more than one audience");
  if (client_id !== clientId) throw refused("it was issued for another client");
  if (exp! - iat! > MAX_LIFETIME) throw refused(`it is valid for more than ${MAX_LIFETIME} seconds`); // they are required
}

/** What this server cannot honor must not be ignored: an assertion that is bound to a key, or that allows less than its scopes say. */
function assertBinding(claims: JWTPayload, { clientIds }: CompanyProvider): void {
  if (claims["cnf"] !== undefined) throw refused("it is bound to a key, and this server takes no proof of possession");
  if (claims["authorization_details"] !== undefined) throw refused("it has authorization details, which this server does not issue");
  if (clientIds !== undefined && !clientIds.includes(String(claims["client_id"])))
    throw refused("its identity provider may not give access to this client");
}

/** @throws AccessRefusedError if the company of the assertion is not this provider's */
function tenantOf({ tenant }: JWTPayload, { tenants = [] }: CompanyProvider): string | undefined {
  if (tenant === undefined && tenants.length === 0) return undefined;
  if (typeof tenant !== "string" || !tenants.includes(tenant)) throw refused('its claim "tenant" is not among the option "tenants"');
  return tenant;
}

function nameOf(claims: JWTPayload, claim: "sub" | "jti"): string {
  const value: unknown = claims[claim];
  if (typeof value !== "string" || value === "" || value.length > MAX_NAME)
    throw refused(`its "${claim}" must be a text of 1 to ${MAX_NAME} characters`);
  return value;
}

function resourcesOf({ resource }: JWTPayload): readonly string[] {
  const named = [resource].flat().filter((one): one is string => typeof one === "string");
  if (named.length === 0 || named.length < [resource].flat().length) throw refused('its "resource" must name MCP servers');
  return named;
}

function scopesOf({ scope }: JWTPayload): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  if (typeof scope !== "string") throw refused('its "scope" must be a text');
  return scope.split(" ").filter((one) => one !== "");
}

/** Whether keys could not be read, and not the assertion is at fault. */
function isAboutKeys({ code }: errors.JOSEError): boolean {
  return code === "ERR_JWKS_INVALID" || code === "ERR_JWKS_TIMEOUT";
}

function wordsOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWKSNoMatchingKey) return "its issuer has no such key";
  return error.message;
}

export function refused(why: string): AccessRefusedError {
  return new AccessRefusedError(`The assertion is refused: ${why}`);
}
