/** Where an issuer says one of its endpoints is (RFC 8414, OpenID Connect Discovery; requirements M2.4, M2.5). */
import { AuthorizationError } from "./authorization-error.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

const HOP = "authorization server metadata";

/** @throws AuthorizationError where there is no metadata, it is of another issuer, or names no such endpoint */
export async function issuerEndpoint(fetch: GuardedFetch, issuer: string, name: "jwks_uri" | "introspection_endpoint"): Promise<string> {
  const tried = candidates(new URL(issuer));
  for (const url of tried) {
    const { status, json } = await fetch.json(url, { hop: HOP });
    if (status >= 400 && status <= 499) continue;
    if (status !== 200 || json === undefined) throw bad(url, `it answers with status ${status}`);
    if (json["issuer"] !== issuer) throw bad(url, "it is about another issuer than the one that was asked for");
    const endpoint = json[name];
    if (typeof endpoint !== "string") throw bad(url, `it names no "${name}"`);
    fetch.check(endpoint, HOP);
    return endpoint;
  }
  throw bad(issuer, `it publishes no metadata (${tried.length} places were tried)`);
}

/** Well-known places in the order they are tried. */
function candidates({ origin, pathname }: URL): readonly string[] {
  const path = pathname.replace(/\/$/, "");
  const places = [`${origin}/.well-known/oauth-authorization-server${path}`, `${origin}/.well-known/openid-configuration${path}`];
  return path === "" ? places : [...places, `${origin}${path}/.well-known/openid-configuration`];
}

function bad(url: string, problem: string): AuthorizationError {
  const remedy = 'Check option "issuer"; if it is right, this is for whoever runs that server to repair.';
  return new AuthorizationError({ hop: HOP, url, problem, remedy });
}
