import type { BearerAuth } from "../auth/resource-server/bearer.ts";
import { AccessRefusedError } from "../auth/resource-server/judge-token.ts";
import { boundByClient, hostedBearer, type HostedProviderOptions, urlOf } from "./hosted-bearer.ts";

/** Options of {@link cognito}. */
export interface CognitoOptions extends HostedProviderOptions {
  /** The id of the user pool: `eu-central-1_AbCdEfGhI`. It begins with the region. */
  readonly userPoolId: string;
  /**
   * The ids of app clients whose tokens are accepted although they name no audience, as tokens do if the client sent no `resource`. Default:
   * none. Security: tokens of these clients open every server that accepts them.
   */
  readonly clientIds?: readonly string[];
}

const POOL = /^([a-z]{2}(?:-[a-z]+)+-\d)_[A-Za-z0-9]+$/;

/**
 * Accepts access tokens of a user pool of Amazon Cognito. Scopes begin with the identifier of a resource server of the pool:
 * `https://files.example.com/mcp/read`. Cognito registers no clients, and its metadata does not say that it supports PKCE, which it does:
 * clients need the id of an app client, and an option to go on without that statement (`assumePkce` in Tenon's).
 *
 * @throws TypeError, RangeError that name the option
 * @example
 * ```ts
 * import { cognito } from "tenon/auth/providers";
 *
 * const auth = cognito({ userPoolId: "eu-central-1_AbCdEfGhI", url: "https://files.example.com/mcp", clientIds: ["4f1example"] });
 * console.log(auth.metadata.document["resource"]); // https://files.example.com/mcp
 * ```
 */
export function cognito(options: CognitoOptions): BearerAuth {
  const { userPoolId, clientIds = [], url: _, ...open } = options;
  const url = urlOf("cognito()", options);
  const region = typeof userPoolId === "string" ? POOL.exec(userPoolId)?.[1] : undefined;
  if (region === undefined)
    throw new TypeError(`cognito() needs option "userPoolId", such as "eu-central-1_AbCdEfGhI", not ${JSON.stringify(userPoolId)}`);
  const suffix = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  return hostedBearer("cognito()", options, {
    own: { userPoolId: 1, clientIds: 1 },
    open,
    way: {
      issuer: `https://cognito-idp.${region}.${suffix}/${userPoolId}`,
      issuerFrom: '"userPoolId"',
      audiences: [url],
      audienceStep:
        `The client must send "resource": "${url}", with a resource server of that identifier in the user pool; or name the app clients ` +
        'whose tokens are accepted without an audience (option "clientIds").',
      opaqueStep: "Access tokens of Cognito are JWTs: this one comes from elsewhere.",
      adapt: (token) => {
        if (token.claims?.["token_use"] !== "access")
          throw new AccessRefusedError('Access token refused: its "token_use" is not "access". The client sent an ID token');
        return boundByClient(token, clientIds, url);
      },
    },
  });
}
