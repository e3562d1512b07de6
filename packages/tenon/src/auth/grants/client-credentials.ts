/** `clientCredentials()`: authorizes a program with its own credentials and without a user (RFC 6749 section 4.4). */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { assertClientAndIssuer, clientGrant, requestFor } from "./client-grant.ts";
import type { PreregisteredClient } from "./registration.ts";

/** Options of `clientCredentials()`. */
export interface ClientCredentialsOptions extends OAuthOptions {
  /** The authorization server that the client is registered with. Security: nothing is sent if the MCP server names another one. */
  readonly issuer: string;
  /** With a secret (Basic, or post), or with a key (`private_key_jwt`). */
  readonly client: PreregisteredClient;
}

/** Authorizes as a client. @throws TypeError if the issuer or the secret is missing; RangeError if an option has a wrong value */
export function clientCredentials(options: ClientCredentialsOptions): OAuthProvider {
  const keys: OptionKeys<ClientCredentialsOptions> = { ...oauthOptions(), issuer: 1, client: 1 };
  assertKnown("clientCredentials()", options, keys);
  assertClientAndIssuer(options);
  const grant = clientGrant(options, (at, client) => requestFor(at, client, { grantType: "client_credentials" }));
  return new OAuthProvider(grant, options);
}
