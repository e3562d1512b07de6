/**
 * `workloadIdentity()`: authorizes a program by a token of its platform (RFC 7523 section 2.1).
 *
 * It needs no client and no registration. A refused token is final: it is neither sent again nor replaced by another grant.
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { assertIssuer } from "./client-credentials.ts";
import type { Grant, GrantContext, ObtainedTokens } from "../login/grant.ts";
import type { OAuthClient } from "../login/oauth-client.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import { requestToken } from "../login/token-endpoint.ts";

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

function workloadIdentityOptions(): OptionKeys<WorkloadIdentityOptions> {
  return { ...oauthOptions(), issuer: 1, assertion: 1 };
}

/** Authorizes as a workload. @throws TypeError if the issuer is missing; RangeError if an option has a wrong value */
export function workloadIdentity(options: WorkloadIdentityOptions): OAuthProvider {
  assertKnown("workloadIdentity()", options, workloadIdentityOptions());
  assertIssuer(options.issuer);
  return new OAuthProvider(new WorkloadIdentityGrant(options), options);
}

const NO_CLIENT: OAuthClient = { id: undefined, method: "none" };

class WorkloadIdentityGrant implements Grant {
  readonly interactive = false;
  readonly issuer: string;
  readonly preregisteredId: undefined;
  readonly #assertion: WorkloadIdentityOptions["assertion"];

  constructor({ issuer, assertion }: WorkloadIdentityOptions) {
    this.issuer = issuer;
    this.#assertion = assertion;
  }

  knownClient(): Promise<OAuthClient> {
    return Promise.resolve(NO_CLIENT);
  }

  async obtain({ documents, issuer, scope, indicator, dpop, signal }: GrantContext): Promise<ObtainedTokens> {
    const assertion = typeof this.#assertion === "string" ? this.#assertion : await this.#assertion(issuer.metadata.token_endpoint);
    const parameters = { assertion, scope: scope?.join(" "), resource: indicator };
    const response = await requestToken(documents, {
      hop: "token",
      issuer,
      client: NO_CLIENT,
      grantType: JWT_BEARER,
      parameters,
      dpop,
      signal,
    });
    return { client: NO_CLIENT, response };
  }
}
