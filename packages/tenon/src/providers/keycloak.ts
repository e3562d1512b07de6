import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { AccessRefusedError } from "../auth/resource-server/judge-token.ts";
import { assertText, baseOf, hostedBearer, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link keycloak}. */
export interface KeycloakOptions extends HostedProviderOptions {
  /** Where Keycloak is: `https://sso.example.com`, with `/auth` where it has that path. */
  readonly baseUrl: string;
  /** The name of the realm: `staff`. */
  readonly realm: string;
  /** What the audience mapper adds to tokens. Default: `url`. */
  readonly audience?: string;
}

/**
 * Accepts access tokens of a realm of Keycloak. Keycloak does not take the parameter `resource`: add a client scope with an "Audience" mapper
 * whose custom audience is the URL of this server, and make it a default scope of the clients.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { keycloak } from "tenon/auth/providers";
 *
 * const auth = keycloak({ baseUrl: "https://sso.example.com", realm: "staff", url: "https://files.example.com/mcp" });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function keycloak(options: KeycloakOptions): BearerAuth {
  const { baseUrl, realm, audience, url: _, ...open } = options;
  const url = urlOf("keycloak()", options);
  assertText("keycloak()", "realm", realm, 'the name of the realm, such as "staff"');
  const base = baseOf("keycloak()", "baseUrl", baseUrl);
  if (/\/realms(?:\/|$)/.test(base))
    throw new TypeError(`keycloak() needs option "baseUrl" without "/realms/…", which option "realm" adds, not ${JSON.stringify(baseUrl)}`);
  const name = audience ?? url;
  return hostedBearer("keycloak()", options, {
    own: { baseUrl: 1, realm: 1, audience: 1 },
    open,
    way: {
      issuer: `${base}/realms/${encodeURIComponent(realm)}`,
      issuerFrom: '"baseUrl" and "realm"',
      audiences: [name],
      audienceStep: `In the Keycloak console, under Client scopes, add a mapper of the type Audience with the custom audience "${name}", and make the scope a default one.`,
      opaqueStep: "Access tokens of Keycloak are JWTs: this one comes from elsewhere.",
      // The ID token of a client may have the same audience: the name of that client.
      adapt: (token) => {
        const { typ = "Bearer" } = token.claims ?? {};
        if (typ === "Bearer" || typ === "DPoP") return token;
        throw new AccessRefusedError('Access token refused: its "typ" is not "Bearer". The client sent an ID token');
      },
    },
  });
}
