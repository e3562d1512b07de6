/**
 * Exchanges an assertion of a trusted issuer for tokens (RFC 7523): an ID-JAG of an identity provider for a client of this server, or the
 * identity of a workload, which needs no client.
 */
import { decodeJwt, decodeProtectedHeader, type JWTPayload, createLocalJWKSet, jwtVerify } from "jose";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { authenticateClient, namesClient } from "../clients/client-authentication.ts";
import { assertBound } from "../tokens/dpop.ts";
import type { Exchange } from "../exchange.ts";
import { accessTokenResponse } from "../tokens/issue-tokens.ts";
import { OAuthError } from "../oauth-error.ts";
import { allowedResources, allowedScopes } from "../tokens/permissions.ts";
import type { ServerState } from "../state.ts";
import { JWT_BEARER } from "./grant.ts";
import { ASSERTION_ALGORITHMS, CLOCK_TOLERANCE } from "../clients/client-assertion.ts";
import type { TrustedIssuer } from "../options.ts";

/** The type of an ID-JAG (identity assertion authorization grant). */
export const ID_JAG_TYPE = "oauth-id-jag+jwt";

export async function exchangeAssertion(state: ServerState, exchange: Exchange, key: string | undefined): Promise<JsonObject> {
  const assertion = exchange.parameters.required("assertion");
  const { typ, issuer } = kindOf(assertion);
  if (typ === ID_JAG_TYPE) return exchangeIdJag(state, exchange, key, assertion, issuer);
  return exchangeWorkload(state, exchange, key, assertion, issuer);
}

/** Reads the unverified type and issuer. */
function kindOf(assertion: string): { typ: string | undefined; issuer: string | undefined } {
  try {
    return { typ: decodeProtectedHeader(assertion).typ, issuer: decodeJwt(assertion).iss };
  } catch {
    throw invalid("it is not a JWT");
  }
}

async function exchangeIdJag(
  state: ServerState,
  exchange: Exchange,
  key: string | undefined,
  assertion: string,
  issuer: string | undefined,
): Promise<JsonObject> {
  const client = await authenticateClient(state, exchange);
  if (!client.grantTypes.includes(JWT_BEARER))
    throw new OAuthError("unauthorized_client", `The client has not registered the grant "${JWT_BEARER}"`);
  assertBound(state, client.dpopBound, key);
  const payload = await verifyAssertion(state, assertion, issuer, {
    issuers: state.settings.identityProviders,
    audience: [state.issuer],
    typ: ID_JAG_TYPE,
    requiredClaims: ["sub", "iat", "exp", "jti", "client_id"],
  });
  if (payload["client_id"] !== client.id) throw invalid("it is for another client");
  const resources = resourcesOf(state, exchange, payload);
  const scopes = sharedScopes(state, exchange, payload);
  const grant = { clientId: client.id, subject: payload.sub!, scopes, resources, revoked: false };
  return accessTokenResponse(state, { grant, scopes, resources, key });
}

/** The resources of the token. An assertion for one resource gets no token for another. */
function resourcesOf(state: ServerState, { parameters }: Exchange, { resource }: JWTPayload): readonly string[] {
  const resources = allowedResources(state, parameters);
  if (resource === undefined) return resources;
  const asserted = [resource].flat();
  const known = asserted.filter((entry): entry is string => typeof entry === "string");
  if (known.length !== asserted.length || resources.some((entry) => !known.includes(entry))) throw invalid("it is for another resource");
  return resources.length > 0 ? resources : known;
}

/** The scopes that the provider allows, this server supports and the client requests. */
function sharedScopes(state: ServerState, { parameters }: Exchange, { scope }: JWTPayload): readonly string[] {
  const asserted = typeof scope === "string" && scope !== "" ? scope.split(" ") : undefined;
  const supported = state.settings.scopes;
  const scopes = parameters.scopes();
  const base = asserted ?? scopes ?? [];
  return base.filter((entry) => (supported?.includes(entry) ?? true) && (scopes?.includes(entry) ?? true));
}

async function exchangeWorkload(
  state: ServerState,
  exchange: Exchange,
  key: string | undefined,
  assertion: string,
  issuer: string | undefined,
): Promise<JsonObject> {
  const client = namesClient(exchange) ? await authenticateClient(state, exchange) : undefined;
  assertBound(state, client?.dpopBound ?? false, key);
  const payload = await verifyAssertion(state, assertion, issuer, {
    issuers: state.settings.workloadIssuers,
    audience: [state.urls.token, state.issuer],
    requiredClaims: ["sub", "exp"],
  });
  const scopes = allowedScopes(state, exchange.parameters);
  const resources = allowedResources(state, exchange.parameters);
  const grant = { clientId: client?.id, subject: payload.sub!, scopes, resources, revoked: false };
  return accessTokenResponse(state, { grant, scopes, resources, key });
}

interface AssertionRules {
  readonly issuers: readonly TrustedIssuer[];
  readonly audience: readonly string[];
  readonly typ?: string;
  readonly requiredClaims: readonly string[];
}

/** The longest validity of an assertion in milliseconds. Its `jti` is kept that long. */
const MAX_LIFETIME = 3_600_000;

/** Verifies an assertion, which is valid once, and returns its claims. @throws OAuthError `invalid_grant` */
async function verifyAssertion(
  state: ServerState,
  assertion: string,
  issuer: string | undefined,
  rules: AssertionRules,
): Promise<JWTPayload> {
  const trusted = rules.issuers.find((candidate) => candidate.issuer === issuer);
  if (trusted === undefined) throw invalid("its issuer is not trusted");
  const jwks = typeof trusted.jwks === "function" ? await trusted.jwks() : trusted.jwks;
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(jwks), {
    algorithms: [...ASSERTION_ALGORITHMS],
    issuer: trusted.issuer,
    audience: [...rules.audience],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(state.clock()),
    requiredClaims: [...rules.requiredClaims],
    ...(rules.typ !== undefined && { typ: rules.typ }),
  }).catch((error: Error) => {
    throw invalid(error.message);
  });
  if (Array.isArray(payload.aud) && payload.aud.length > 1) throw invalid("it is for others too");
  if (payload.exp! * 1_000 > state.clock() + MAX_LIFETIME) throw invalid("it lives for more than an hour");
  const name = payload.jti ?? assertion;
  if (!state.usedAssertions.claim(`${trusted.issuer} ${name}`, true, MAX_LIFETIME + CLOCK_TOLERANCE * 1_000))
    throw invalid("it was used before");
  return payload;
}

function invalid(why: string): OAuthError {
  return new OAuthError("invalid_grant", `The assertion is invalid: ${why}`);
}
