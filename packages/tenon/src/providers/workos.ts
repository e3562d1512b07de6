import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { hostedBearer, originOf, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link workos}. */
export interface WorkosOptions extends HostedProviderOptions {
  /** The domain of AuthKit: `example.authkit.app`. */
  readonly domain: string;
  /**
   * The id of the environment (`client_…`), which tokens name as their audience if the client has sent no `resource`. Default: those tokens are
   * refused. Security: with it, tokens are accepted that were issued for any server of the environment.
   */
  readonly clientId?: string;
}

/**
 * Accepts access tokens of WorkOS AuthKit. In the WorkOS dashboard, under Connect > Configuration, add the URL of this server as an MCP
 * resource indicator, and switch on client metadata documents or dynamic registration.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { workos } from "tenon/auth/providers";
 *
 * const auth = workos({ domain: "example.authkit.app", url: "https://files.example.com/mcp" });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function workos(options: WorkosOptions): BearerAuth {
  const { domain, clientId, url: _, ...open } = options;
  const url = urlOf("workos()", options);
  return hostedBearer("workos()", options, {
    own: { domain: 1, clientId: 1 },
    open,
    way: {
      issuer: originOf("workos()", "domain", domain),
      issuerFrom: '"domain"',
      audiences: clientId === undefined ? [url] : [url, clientId],
      audienceStep:
        `In the WorkOS dashboard, under Connect > Configuration, add "${url}" as a resource indicator. ` +
        'A client that sends no "resource" gets tokens for the environment: the option "clientId" accepts them.',
      opaqueStep: "Access tokens of AuthKit are JWTs: this one comes from elsewhere.",
    },
  });
}
