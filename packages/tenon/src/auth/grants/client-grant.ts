/** Grants in which no user takes part: a program authorizes with a client that was registered by hand, or with a token that it has. */
import type { Grant, GrantContext } from "../login/grant.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { requestToken, type TokenRequest, type TokenResponse } from "../login/token-endpoint.ts";
import { toClient, type PreregisteredClient } from "./registration.ts";

export interface ClientAtIssuer {
  readonly issuer: string;
  readonly client: PreregisteredClient;
}

/** @throws TypeError if the issuer is no URL, or the client has no secret and no key */
export function assertClientAndIssuer({ issuer, client }: ClientAtIssuer): void {
  assertIssuer(issuer);
  if (typeof client?.id !== "string") throw new TypeError('Option "client" must be { id, secret } or { id, key }');
  if ((client.secret ?? client.key) === undefined) throw new TypeError('Option "client" needs a secret or a key');
}

export function assertIssuer(issuer: string): void {
  if (typeof issuer === "string" && URL.canParse(issuer)) return;
  throw new TypeError('Option "issuer" must be the URL of the authorization server');
}

/** The grant of such a client. @param request gets the tokens */
export function clientGrant(
  { issuer, client }: ClientAtIssuer,
  request: (at: GrantContext, client: OAuthClient) => Promise<TokenResponse>,
): Grant {
  const knownClient = async (at: GrantContext): Promise<OAuthClient> => toClient(client, at.issuer.metadata);
  return {
    interactive: false,
    issuer,
    preregisteredId: client.id,
    knownClient,
    obtain: async (at) => {
      const known = await knownClient(at);
      return { client: known, response: await request(at, known) };
    },
  };
}

/** Requests a token for the resource and the scope that the server wants. */
export function requestFor(
  { documents, issuer, scope, indicator, dpop, signal }: GrantContext,
  client: OAuthClient,
  { grantType, parameters = {} }: Pick<TokenRequest, "grantType"> & Partial<Pick<TokenRequest, "parameters">>,
): Promise<TokenResponse> {
  const all = { ...parameters, scope: scope?.join(" "), resource: indicator };
  return requestToken(documents, { hop: "token", issuer, client, grantType, parameters: all, dpop, signal });
}
