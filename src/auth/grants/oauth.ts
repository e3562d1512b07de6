/** `oauth()`: a user logs in with a browser. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { loopback } from "#oauth-loopback";
import { AuthorizationCodeGrant, authorizationCodeOptions, type AuthorizationCodeOptions } from "./authorization-code.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import type { OpenPage, Redirection } from "./redirection.ts";

/** Options of `oauth()`. */
export interface UserLoginOptions extends OAuthOptions, AuthorizationCodeOptions {
  /**
   * Shows the login page to the user. Default: the system's browser. Whatever it is, it must not pass the URL to a shell.
   */
  readonly open?: OpenPage;
  /** The port on 127.0.0.1 where the user comes back. Default: one that is free, and the same again for later logins. */
  readonly port?: number;
  /**
   * For web hosts: where the user comes back to. Calls then fail with {@link AuthorizationRequiredError}; send the user to its
   * `authorizationUrl`, and call `finish()` with the URL they come back to.
   */
  readonly callbackUrl?: string;
  /** Another way to the page and back, in place of all of these. */
  readonly redirection?: Redirection;
}

function userLoginOptions(): OptionKeys<UserLoginOptions> {
  return { ...oauthOptions(), ...authorizationCodeOptions(), open: 1, port: 1, callbackUrl: 1, redirection: 1 };
}

/**
 * Authorizes with a user's consent: authorization code with PKCE (requirements M2–M5). The first call that needs it opens
 * the login page; from then on tokens are refreshed without anybody noticing, for as long as the issuer allows.
 *
 * @throws TypeError for a client secret without `issuer`; RangeError for an option that is none; McpUsageError where the
 * platform cannot listen for the user and there is no `callbackUrl`
 */
export function oauth(options: UserLoginOptions = {}): OAuthProvider {
  assertKnown("oauth()", options, userLoginOptions());
  const { callbackUrl, redirection, open, port } = options;
  const way =
    redirection ??
    (callbackUrl === undefined ? loopback({ open, ...(port !== undefined && { port }) }) : { redirectUri: new URL(callbackUrl).href });
  return new OAuthProvider(new AuthorizationCodeGrant(way, options), options);
}
