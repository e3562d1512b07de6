/**
 * `enterpriseManaged()`: a company's identity provider decides which servers its employees' programs may use (MCP extension
 * Enterprise-Managed Authorization).
 *
 * The program exchanges the user's identity token at the identity provider for a grant (ID-JAG), and the grant at the
 * server's authorization server for the access token. No page is shown. Security: each token is sent only to the server
 * that it is meant for.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { assertClientAndIssuer, clientGrant, requestFor } from "./client-grant.ts";
import type { GrantContext } from "../login/grant.ts";
import { GuardedFetch } from "../guarded-fetch.ts";
import type { Issuer } from "../issuer-metadata.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { toClient, type PreregisteredClient } from "./registration.ts";
import { requestToken } from "../login/token-endpoint.ts";
import { TOKEN_EXCHANGE } from "./token-exchange.ts";
import { JWT_BEARER } from "./workload-identity.ts";

const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag";
const HOP = "identity provider";

/** The identity provider of a company, and how this program is known there. */
export interface IdentityProvider {
  /** The URL of the token exchange. You name it, so it may be inside your network. */
  readonly tokenEndpoint: string;
  /** The audience of `private_key_jwt`. Default: the origin of the endpoint. */
  readonly issuer?: string;
  /** This program's client at the identity provider. */
  readonly client: PreregisteredClient;
  /** Returns the user's identity token. It is called each time, because the token is short-lived. */
  readonly subjectToken: () => MaybePromise<string>;
  /** The type of that token. Default `"id_token"`; use `"refresh_token"` after a SAML login. */
  readonly subjectTokenType?: "id_token" | "refresh_token";
}

/** Options of `enterpriseManaged()`. */
export interface EnterpriseOptions extends OAuthOptions {
  /**
   * The authorization server of the MCP server, which is the audience of the grant. Security: nothing is sent if the MCP server
   * names another one.
   */
  readonly issuer: string;
  /** This program's client at that authorization server. */
  readonly client: PreregisteredClient;
  /** The identity provider that vouches for the user. */
  readonly identityProvider: IdentityProvider;
}

/** Authorizes as a company's user. @throws TypeError if the issuer or a secret is missing; RangeError if an option has a wrong value */
export function enterpriseManaged(options: EnterpriseOptions): OAuthProvider {
  const keys: OptionKeys<EnterpriseOptions> = { ...oauthOptions(), issuer: 1, client: 1, identityProvider: 1 };
  assertKnown("enterpriseManaged()", options, keys);
  assertClientAndIssuer(options);
  const { identityProvider: provider } = options;
  const documents = new GuardedFetch(options, new URL(provider.tokenEndpoint));
  const grant = clientGrant(options, async (at, client) => {
    assertOffered(at.issuer);
    const assertion = await exchange(at, provider, documents);
    return requestFor(at, client, { grantType: JWT_BEARER, parameters: { assertion } });
  });
  return new OAuthProvider(grant, options);
}

/** Exchanges the user's identity for a grant to that server. */
async function exchange(
  { issuer: audience, indicator, scope, signal }: GrantContext,
  provider: IdentityProvider,
  documents: GuardedFetch,
): Promise<string> {
  const { tokenEndpoint, issuer = new URL(tokenEndpoint).origin, client, subjectToken, subjectTokenType = "id_token" } = provider;
  const metadata = { issuer, token_endpoint: tokenEndpoint };
  const { accessToken, issuedTokenType } = await requestToken(documents, {
    hop: HOP,
    issuer: { metadata, url: undefined, skew: 0 },
    client: toClient(client, metadata),
    grantType: TOKEN_EXCHANGE,
    parameters: {
      requested_token_type: ID_JAG,
      audience: audience.metadata.issuer,
      resource: indicator,
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

function wrongTokenTypeError(url: string): AuthorizationError {
  const problem = "it gave another token than the one that was asked for";
  const remedy = "The operator of the identity provider must turn on identity assertion grants (ID-JAG) for this program.";
  return new AuthorizationError({ hop: HOP, url, problem, remedy });
}

/** @throws AuthorizationError if the server lists its grant profiles and this one is not among them */
function assertOffered({ metadata, url }: Issuer): void {
  const profiles = metadata.authorization_grant_profiles_supported;
  if (profiles === undefined || profiles.includes(PROFILE)) return;
  const problem = "it does not take grants of an identity provider";
  const remedy = "The operator of the authorization server must let it trust the company's identity provider.";
  throw new AuthorizationError({ hop: "authorization server metadata", url: url ?? metadata.issuer, problem, remedy });
}
