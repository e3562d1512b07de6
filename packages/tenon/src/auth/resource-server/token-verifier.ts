/**
 * Chooses how tokens are verified, by the options: by the keys of their issuers, by introspection, or by a custom function.
 *
 * `jose` and `oauth4webapi` are large, so they are loaded with the first token.
 */
import type { BearerOptions, BearerSettings, TokenVerifier } from "./bearer-options.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { GuardedFetch } from "../guarded-fetch.ts";

/** Milliseconds an issuer has for introspection. A request waits for it. */
const INTROSPECTION_TIMEOUT = 5_000;

/** @throws TypeError, RangeError if an option has a wrong value */
export function verifierOf(options: BearerOptions, settings: BearerSettings): TokenVerifier {
  return (
    options.verify ??
    (options.introspection === undefined ? verifyByKeys(options, settings) : verifyByIntrospection(options, settings.issuers[0]!))
  );
}

/** The operator chose the issuer, so its origin is trusted. */
function fetchFor(issuer: string, options: BearerOptions): GuardedFetch {
  return new GuardedFetch(options, new URL(issuer));
}

function verifyByKeys(options: BearerOptions, { issuers, algorithms, clockTolerance }: BearerSettings): TokenVerifier {
  const { jwksUri } = options;
  const fetches = issuers.map((issuer) => ({ issuer, fetch: fetchFor(issuer, options) }));
  if (jwksUri !== undefined) fetches[0]!.fetch.check(jwksUri, "keys");
  const load = async (): Promise<TokenVerifier> => {
    const [{ verifyJwt }, { IssuerKeys }] = await Promise.all([import("./verify-jwt.ts"), import("./issuer-keys.ts")]);
    const keys = new Map(
      fetches.map(({ issuer, fetch }) => [issuer, new IssuerKeys(fetch, async () => jwksUri ?? endpointOf(fetch, issuer, "jwks_uri"))]),
    );
    return (token) => verifyJwt(token, { keys, algorithms, clockTolerance });
  };
  return loadOnFirstUse(load);
}

function verifyByIntrospection(options: BearerOptions, issuer: string): TokenVerifier {
  const introspection = options.introspection!; // the caller has checked it
  assertClient(introspection);
  const fetch = fetchFor(issuer, { fetchTimeout: INTROSPECTION_TIMEOUT, ...options });
  if (introspection.endpoint !== undefined) fetch.check(introspection.endpoint, "introspection");
  return loadOnFirstUse(async () => {
    const { Introspection } = await import("./introspection.ts");
    const locate = (): Promise<string> => endpointOf(fetch, issuer, "introspection_endpoint");
    const introspector = new Introspection({ issuer, options: introspection, fetch, locate });
    return (token) => introspector.verify(token);
  });
}

/** @throws TypeError if there is neither a secret nor a key */
function assertClient({ clientId, clientSecret, privateKey }: NonNullable<BearerOptions["introspection"]>): void {
  if (typeof clientId !== "string" || clientId === "" || (clientSecret === undefined) === (privateKey === undefined))
    throw new TypeError('Option "introspection" needs "clientId", and one of "clientSecret" and "privateKey"');
}

/** Finds an endpoint in the issuer's metadata. @throws AuthorizationError */
async function endpointOf(fetch: GuardedFetch, issuer: string, name: "jwks_uri" | "introspection_endpoint"): Promise<string> {
  const { findIssuer } = await import("../issuer-metadata.ts");
  const { metadata, url = issuer } = await findIssuer(fetch, issuer);
  const endpoint = metadata[name];
  if (endpoint !== undefined) return endpoint;
  const remedy = "Name it in the options of bearer(), or choose another way to verify tokens.";
  throw new AuthorizationError({ hop: "authorization server metadata", url, problem: `it names no "${name}"`, remedy });
}

/** Returns a verifier that loads with the first token, and again after a failure. */
function loadOnFirstUse(load: () => Promise<TokenVerifier>): TokenVerifier {
  let verifier: Promise<TokenVerifier> | undefined;
  return async (token, request) => {
    verifier ??= load().catch((error: unknown) => {
      verifier = undefined;
      throw error;
    });
    return (await verifier)(token, request);
  };
}
