import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { boundByClient, hostedBearer, originOf, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link clerk}. */
export interface ClerkOptions extends HostedProviderOptions {
  /** The Frontend API of the instance: `clerk.example.com`, or `example.clerk.accounts.dev`. */
  readonly domain: string;
  /**
   * The ids of OAuth applications whose tokens are accepted although they name no audience. Default: none. Security: tokens of these
   * applications open every server that accepts them.
   */
  readonly clientIds?: readonly string[];
}

/**
 * Accepts access tokens of Clerk. In the Clerk dashboard, under Agents > MCP servers, add the URL of this server: then tokens name it as their
 * audience. Session tokens of the web application have the same issuer, and are refused: they name its origin (`azp`) and no client.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { clerk } from "tenon/auth/providers";
 *
 * const auth = clerk({ domain: "clerk.example.com", url: "https://files.example.com/mcp", scopes: ["profile"] });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function clerk(options: ClerkOptions): BearerAuth {
  const { domain, clientIds = [], url: _, ...open } = options;
  const url = urlOf("clerk()", options);
  return hostedBearer("clerk()", options, {
    own: { domain: 1, clientIds: 1 },
    open,
    way: {
      issuer: originOf("clerk()", "domain", domain),
      issuerFrom: '"domain"',
      audiences: [url],
      audienceStep:
        `In the Clerk dashboard, under Agents > MCP servers, add an MCP server with the URL "${url}"; or name the OAuth applications whose tokens are accepted ` +
        'without an audience (option "clientIds").',
      opaqueStep: "In the Clerk dashboard, under OAuth applications > Settings, switch on access tokens that are JWTs.",
      adapt: (token) => boundByClient(token, clientIds, url),
    },
  });
}
