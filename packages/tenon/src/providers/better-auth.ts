import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { baseOf, hostedBearer, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link betterAuth}. */
export interface BetterAuthOptions extends HostedProviderOptions {
  /** Where Better Auth is mounted: `https://app.example.com/api/auth`. */
  readonly baseUrl: string;
}

/**
 * Accepts access tokens of an application with Better Auth and its plugins `jwt` and `oauth-provider`. There, `resources` must have the URL of
 * this server (`validAudiences` before 1.7).
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { betterAuth } from "tenon/auth/providers";
 *
 * const auth = betterAuth({ baseUrl: "https://app.example.com/api/auth", url: "https://files.example.com/mcp" });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function betterAuth(options: BetterAuthOptions): BearerAuth {
  const { baseUrl, url: _, ...open } = options;
  const url = urlOf("betterAuth()", options);
  const base = baseOf("betterAuth()", "baseUrl", baseUrl);
  return hostedBearer("betterAuth()", options, {
    own: { baseUrl: 1 },
    open,
    way: {
      issuer: base,
      issuerFrom: '"baseUrl"',
      audiences: [url],
      jwksUri: `${base}/jwks`,
      audienceStep: `In the options of the plugin oauth-provider, "resources" must have "${url}" ("validAudiences" before Better Auth 1.7).`,
      opaqueStep: 'A client that sends no "resource" gets an opaque token, and the plugin jwt must be there for others.',
    },
  });
}
