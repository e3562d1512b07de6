/** `clientCredentials()`: authorizes a program with its own credentials and without a user (RFC 6749 section 4.4). */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { Grant, GrantContext, ObtainedTokens } from "../login/grant.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { toClient, type PreregisteredClient } from "./registration.ts";
import { requestToken } from "../login/token-endpoint.ts";

/** Options of `clientCredentials()`. */
export interface ClientCredentialsOptions extends OAuthOptions {
  /** The authorization server that the client is registered with. Security: nothing is sent if the MCP server names another one. */
  readonly issuer: string;
  /** With a secret (Basic, or post), or with a key (`private_key_jwt`). */
  readonly client: PreregisteredClient;
}

function clientCredentialsOptions(): OptionKeys<ClientCredentialsOptions> {
  return { ...oauthOptions(), issuer: 1, client: 1 };
}

/** Authorizes as a client. @throws TypeError if the issuer or the secret is missing; RangeError if an option has a wrong value */
export function clientCredentials(options: ClientCredentialsOptions): OAuthProvider {
  assertKnown("clientCredentials()", options, clientCredentialsOptions());
  assertClientAndIssuer(options.issuer, options.client);
  return new OAuthProvider(new ClientCredentialsGrant(options), options);
}

/** @throws TypeError if the issuer is no URL, or the client has no secret and no key */
export function assertClientAndIssuer(issuer: string, client: PreregisteredClient): void {
  assertIssuer(issuer);
  if (typeof client?.id !== "string") throw new TypeError('Option "client" must be { id, secret } or { id, key }');
  if ((client.secret ?? client.key) === undefined) throw new TypeError('Option "client" needs a secret or a key');
}

/** @throws TypeError */
export function assertIssuer(issuer: string): void {
  if (typeof issuer === "string" && URL.canParse(issuer)) return;
  throw new TypeError('Option "issuer" must be the URL of the authorization server');
}

class ClientCredentialsGrant implements Grant {
  readonly interactive = false;
  readonly issuer: string;
  readonly preregisteredId: string;
  readonly #client: PreregisteredClient;

  constructor({ issuer, client }: ClientCredentialsOptions) {
    this.issuer = issuer;
    this.preregisteredId = client.id;
    this.#client = client;
  }

  knownClient({ issuer }: GrantContext): Promise<OAuthClient> {
    return Promise.resolve(toClient(this.#client, issuer.metadata));
  }

  async obtain(at: GrantContext): Promise<ObtainedTokens> {
    const client = await this.knownClient(at);
    const parameters = { scope: at.scope?.join(" "), resource: at.indicator };
    const { documents, issuer, dpop, signal } = at;
    return {
      client,
      response: await requestToken(documents, { hop: "token", issuer, client, grantType: "client_credentials", parameters, dpop, signal }),
    };
  }
}
