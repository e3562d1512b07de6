import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { assertText, hostedBearer, originOf, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link okta}. */
export interface OktaOptions extends HostedProviderOptions {
  /** The domain of the organisation, or its custom domain: `example.okta.com`. */
  readonly domain: string;
  /** The id of the custom authorization server. Default `default`. Tokens of the organisation itself can be read by Okta only. */
  readonly authorizationServer?: string;
  /** The audience of that authorization server; it has one for all its tokens. Default: `url`. */
  readonly audience?: string;
}

/**
 * Accepts access tokens of a custom authorization server at Okta. In the Okta console, under Security > API, set the audience of the
 * authorization server to the URL of this server, add the scopes, and an access policy for the clients.
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { okta } from "tenon/auth/providers";
 *
 * const auth = okta({ domain: "example.okta.com", audience: "api://default", url: "https://files.example.com/mcp" });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function okta(options: OktaOptions): BearerAuth {
  const { domain, authorizationServer = "default", audience, url: _, ...open } = options;
  const url = urlOf("okta()", options);
  assertText("okta()", "authorizationServer", authorizationServer, 'the id of a custom authorization server, such as "default"');
  const origin = originOf("okta()", "domain", domain);
  if (origin.includes("-admin.okta"))
    throw new TypeError(`okta() needs option "domain" without "-admin": that is the address of the console, not ${JSON.stringify(domain)}`);
  if (authorizationServer.includes("/"))
    throw new TypeError(`okta() needs option "authorizationServer": the end of its issuer, not ${JSON.stringify(authorizationServer)}`);
  const name = audience ?? url;
  return hostedBearer("okta()", options, {
    own: { domain: 1, authorizationServer: 1, audience: 1 },
    open,
    way: {
      issuer: `${origin}/oauth2/${encodeURIComponent(authorizationServer)}`,
      issuerFrom: '"domain" and "authorizationServer"',
      audiences: [name],
      audienceStep: `In the Okta console, under Security > API, the authorization server must have the audience "${name}"; or set the option "audience".`,
      opaqueStep: "In the Okta console, choose a custom authorization server: its tokens can be verified here.",
      // Okta names the client in a claim of its own.
      adapt: (token) => {
        const client = token.claims?.["cid"];
        return token.clientId === undefined && typeof client === "string" ? { ...token, clientId: client } : token;
      },
    },
  });
}
