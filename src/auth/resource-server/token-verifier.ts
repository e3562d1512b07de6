/**
 * How tokens are verified, as the options say: by the keys of their issuers, by asking, or by a function of the operator's.
 *
 * What the first two take is loaded with the first token; `jose` and `oauth4webapi` are no small libraries.
 */
import type { BearerOptions, BearerSettings, TokenVerifier } from "./bearer-options.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { GuardedFetch } from "../guarded-fetch.ts";

/** Milliseconds an issuer may take to say what a token is worth: somebody waits for it. */
const INTROSPECTION_TIMEOUT = 5_000;

/** @throws TypeError, RangeError for an option that is none */
export function verifierOf(options: BearerOptions, settings: BearerSettings): TokenVerifier {
  return (
    options.verify ??
    (options.introspection === undefined ? verifyByKeys(options, settings) : verifyByIntrospection(options, settings.issuers[0]!))
  );
}

/** The issuer is the operator's choice, so its own origin is trusted to be where it is. */
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
  const introspection = options.introspection!; // it is why we are here
  assertClient(introspection);
  const fetch = fetchFor(issuer, { fetchTimeout: INTROSPECTION_TIMEOUT, ...options });
  if (introspection.endpoint !== undefined) fetch.check(introspection.endpoint, "introspection");
  return loadOnFirstUse(async () => {
    const { Introspection } = await import("./introspection.ts");
    const locate = (): Promise<string> => endpointOf(fetch, issuer, "introspection_endpoint");
    const asked = new Introspection({ issuer, options: introspection, fetch, locate });
    return (token) => asked.verify(token);
  });
}

/** @throws TypeError without a secret or a key: everybody could ask about tokens then */
function assertClient({ clientId, clientSecret, privateKey }: NonNullable<BearerOptions["introspection"]>): void {
  if (typeof clientId !== "string" || clientId === "" || (clientSecret === undefined) === (privateKey === undefined))
    throw new TypeError('Option "introspection" needs "clientId", and one of "clientSecret" and "privateKey"');
}

/** Where an issuer says it is. @throws AuthorizationError */
async function endpointOf(fetch: GuardedFetch, issuer: string, name: "jwks_uri" | "introspection_endpoint"): Promise<string> {
  const { findIssuer } = await import("../issuer-metadata.ts");
  const { metadata, url = issuer } = await findIssuer(fetch, issuer);
  const endpoint = metadata[name];
  if (endpoint !== undefined) return endpoint;
  const remedy = "Name it in the options of bearer(), or choose another way to verify tokens.";
  throw new AuthorizationError({ hop: "authorization server metadata", url, problem: `it names no "${name}"`, remedy });
}

/** A verifier that is made with the first token; after a failure to load with the next. */
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
