/**
 * `workloadIdentity()`: authorizes a program by a token of its platform (RFC 7523 section 2.1).
 *
 * It needs no client and no registration. A refused token is final: it is neither sent again nor replaced by another grant.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { Grant } from "../login/grant.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { assertIssuer, requestFor } from "./client-grant.ts";

export const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Options of `workloadIdentity()`. */
export interface WorkloadIdentityOptions extends OAuthOptions {
  /** The authorization server that trusts the platform. Security: nothing is sent if the MCP server names another one. */
  readonly issuer: string;
  /**
   * The platform's token, or a function that fetches it. The function is called each time, because the token is short-lived. Its
   * audience is the token endpoint.
   */
  readonly assertion: string | ((tokenEndpoint: string | undefined) => MaybePromise<string>);
}

const NO_CLIENT: OAuthClient = { id: undefined, method: "none" };

/** Authorizes as a workload. @throws TypeError if the issuer is missing; RangeError if an option has a wrong value */
export function workloadIdentity(options: WorkloadIdentityOptions): OAuthProvider {
  const keys: OptionKeys<WorkloadIdentityOptions> = { ...oauthOptions(), issuer: 1, assertion: 1 };
  assertKnown("workloadIdentity()", options, keys);
  const { issuer, assertion: source } = options;
  assertIssuer(issuer);
  const grant: Grant = {
    interactive: false,
    issuer,
    preregisteredId: undefined,
    knownClient: async () => NO_CLIENT,
    obtain: async (at) => {
      const assertion = typeof source === "string" ? source : await source(at.issuer.metadata.token_endpoint);
      return { client: NO_CLIENT, response: await requestFor(at, NO_CLIENT, { grantType: JWT_BEARER, parameters: { assertion } }) };
    },
  };
  return new OAuthProvider(grant, options);
}
