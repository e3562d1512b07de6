/**
 * `enterpriseManaged()`: a company's identity provider decides what its people's programs may reach (requirements R2, R3).
 *
 * The user's identity token is exchanged at the identity provider for a grant (ID-JAG) to the server's own authorization
 * server, which gives the access token for it. No page is shown, and no token goes anywhere but where it is for.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { assertClientAndIssuer } from "./client-credentials.ts";
import type { Grant, GrantContext, ObtainedTokens } from "../login/grant.ts";
import { GuardedFetch } from "../guarded-fetch.ts";
import type { Issuer } from "../issuer-metadata.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { toClient, type PreregisteredClient } from "./registration.ts";
import { requestToken } from "../login/token-endpoint.ts";
import { JWT_BEARER } from "./workload-identity.ts";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag";
const HOP = "identity provider";

/** The identity provider of a company, and how this program is known there. */
export interface IdentityProvider {
  /** Where tokens are exchanged. Named by you, so it may be inside your network. */
  readonly tokenEndpoint: string;
  /** Default: the origin of the endpoint. What `private_key_jwt` names as audience. */
  readonly issuer?: string;
  /** This program, as the identity provider knows it. */
  readonly client: PreregisteredClient;
  /** The user's identity: asked for each time, since it is short-lived. */
  readonly subjectToken: () => MaybePromise<string>;
  /** Default `"id_token"`; a refresh token stands for a SAML login. */
  readonly subjectTokenType?: "id_token" | "refresh_token";
}

/** Options of `enterpriseManaged()`. */
export interface EnterpriseOptions extends OAuthOptions {
  /** The authorization server of the MCP server: the audience of the grant. A server that names others is sent nothing. */
  readonly issuer: string;
  /** This program, as that authorization server knows it. */
  readonly client: PreregisteredClient;
  /** Who knows the user, and says so to that authorization server. */
  readonly identityProvider: IdentityProvider;
}

function enterpriseOptions(): OptionKeys<EnterpriseOptions> {
  return { ...oauthOptions(), issuer: 1, client: 1, identityProvider: 1 };
}

/** Authorizes as a company's user. @throws TypeError without an issuer or a secret; RangeError for an option that is none */
export function enterpriseManaged(options: EnterpriseOptions): OAuthProvider {
  assertKnown("enterpriseManaged()", options, enterpriseOptions());
  assertClientAndIssuer(options.issuer, options.client);
  return new OAuthProvider(new EnterpriseGrant(options), options);
}

class EnterpriseGrant implements Grant {
  readonly interactive = false;
  readonly issuer: string;
  readonly preregisteredId: string;
  readonly #client: PreregisteredClient;
  readonly #provider: IdentityProvider;
  readonly #documents: GuardedFetch;

  constructor(options: EnterpriseOptions) {
    this.issuer = options.issuer;
    this.preregisteredId = options.client.id;
    this.#client = options.client;
    this.#provider = options.identityProvider;
    this.#documents = new GuardedFetch(options, new URL(options.identityProvider.tokenEndpoint));
  }

  knownClient({ issuer }: GrantContext): Promise<OAuthClient> {
    return Promise.resolve(toClient(this.#client, issuer.metadata));
  }

  async obtain(at: GrantContext): Promise<ObtainedTokens> {
    assertOffered(at.issuer);
    const assertion = await this.#exchange(at);
    const client = await this.knownClient(at);
    const { documents, issuer, dpop, signal } = at;
    const parameters = { assertion, scope: at.scope?.join(" "), resource: at.resource };
    return {
      client,
      response: await requestToken(documents, { hop: "token", issuer, client, grantType: JWT_BEARER, parameters, dpop, signal }),
    };
  }

  /** The grant for that server, in exchange for the user's identity. */
  async #exchange({ issuer: audience, resource, scope, signal }: GrantContext): Promise<string> {
    const { tokenEndpoint, issuer = new URL(tokenEndpoint).origin, client, subjectToken, subjectTokenType = "id_token" } = this.#provider;
    const metadata = { issuer, token_endpoint: tokenEndpoint };
    const { accessToken, issuedTokenType } = await requestToken(this.#documents, {
      hop: HOP,
      issuer: { metadata, url: undefined, skew: 0 },
      client: toClient(client, metadata),
      grantType: TOKEN_EXCHANGE,
      parameters: {
        requested_token_type: ID_JAG,
        audience: audience.metadata.issuer,
        resource,
        scope: scope?.join(" "),
        subject_token: await subjectToken(),
        subject_token_type: `urn:ietf:params:oauth:token-type:${subjectTokenType}`,
      },
      tokenTypes: ["n_a"],
      signal,
    });
    if (issuedTokenType !== ID_JAG) throw wrongTokenTypeError(tokenEndpoint);
    return accessToken;
  }
}

function wrongTokenTypeError(url: string): AuthorizationError {
  const problem = "it gave another token than the one that was asked for";
  const remedy = "Whoever runs the identity provider must turn on identity assertion grants (ID-JAG) for this program.";
  return new AuthorizationError({ hop: HOP, url, problem, remedy });
}

/** @throws AuthorizationError where the server lists what it takes, and this is not in it */
function assertOffered({ metadata, url }: Issuer): void {
  const profiles = metadata.authorization_grant_profiles_supported;
  if (profiles === undefined || profiles.includes(PROFILE)) return;
  const problem = "it does not take grants of an identity provider";
  const remedy = "Whoever runs the authorization server must let it trust the company's identity provider.";
  throw new AuthorizationError({ hop: "authorization server metadata", url: url ?? metadata.issuer, problem, remedy });
}
