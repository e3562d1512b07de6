import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { hostedBearer, originOf, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link auth0}. */
export interface Auth0Options extends HostedProviderOptions {
  /** The domain of the tenant, or its custom domain: `example.eu.auth0.com`. */
  readonly domain: string;
  /** The identifier of the API at Auth0. Default: `url`. */
  readonly audience?: string;
}

/**
 * Accepts access tokens of an Auth0 tenant. At Auth0, create an API whose identifier is the URL of this server, and switch on the
 * "Resource Parameter Compatibility Profile" in the tenant's advanced settings; clients that register themselves need "Dynamic Client Registration".
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { auth0 } from "tenon/auth/providers";
 *
 * const auth = auth0({ domain: "example.eu.auth0.com", url: "https://files.example.com/mcp", scopes: ["files:read"] });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function auth0(options: Auth0Options): BearerAuth {
  const { domain, audience, url: _, ...open } = options;
  const url = urlOf("auth0()", options);
  const api = audience ?? url;
  return hostedBearer("auth0()", options, {
    own: { domain: 1, audience: 1 },
    open,
    way: {
      issuer: `${originOf("auth0()", "domain", domain)}/`,
      issuerFrom: '"domain"',
      audiences: [api],
      audienceStep: `In the Auth0 dashboard, under Applications > APIs, create an API with the identifier "${api}".`,
      opaqueStep:
        "The client asked for no API: in the Auth0 dashboard, under Settings > Advanced, switch on the Resource Parameter Compatibility " +
        "Profile, or name a default audience under Settings > General.",
    },
  });
}
