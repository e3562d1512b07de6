/** `oauth()`: a user logs in with a browser. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { loopback } from "#oauth-loopback";
import { AuthorizationCodeGrant, authorizationCodeOptions, type AuthorizationCodeOptions } from "./authorization-code.ts";
import { OAuthProvider } from "../login/oauth-provider.ts";
import { oauthOptions, type OAuthOptions } from "../login/oauth-options.ts";
import type { CallbackHost, LoopbackOptions, OpenPage, Redirection } from "./redirection.ts";

/** Options of `oauth()`. */
export interface UserLoginOptions extends OAuthOptions, AuthorizationCodeOptions {
  /** Shows the login page to the user. Security: it must not pass the URL to a shell. Default: the system's browser. */
  readonly open?: OpenPage;
  /** The port on 127.0.0.1 where the user comes back. Default: a free one, used again for later logins. */
  readonly port?: number;
  /**
   * The name of this machine in the URL where the user comes back. Default `"127.0.0.1"`. Set it to `"localhost"` if the client is registered with
   * that. Security: the program listens on loopback addresses only, whatever the name is. `"localhost"` may be directed elsewhere by the machine's
   * own configuration, which the address cannot.
   */
  readonly callbackHost?: CallbackHost;
  /** The path of that URL. Default `"/callback"`, and for a client that registers itself one for each issuer below it. Set it if the client is
   * registered with another one; then it is the path for all issuers (see `ownCallback`). */
  readonly callbackPath?: string;
  /**
   * For web hosts: the URL where the user comes back. Calls then fail with {@link AuthorizationRequiredError}. Send the user to
   * its `authorizationUrl`, and call `finish()` with the URL that the user comes back to.
   */
  readonly callbackUrl?: string;
  /** A custom way to the page and back. It replaces the options above. */
  readonly redirection?: Redirection;
}

/**
 * Authorizes with a user's consent, by an authorization code with PKCE (MCP 2025-11-25, Authorization). The first call that needs
 * a token opens the login page. Later the client refreshes tokens by itself, for as long as the issuer allows.
 *
 * @throws TypeError if a client has a secret and no `issuer`, or an option is of another kind; RangeError if an option has a wrong value; McpUsageError if the
 * platform cannot listen for the user and there is no `callbackUrl`
 */
export function oauth(options: UserLoginOptions = {}): OAuthProvider {
  const own = { open: 1, port: 1, callbackHost: 1, callbackPath: 1, callbackUrl: 1, redirection: 1 } as const;
  const keys: OptionKeys<UserLoginOptions> = { ...oauthOptions(), ...authorizationCodeOptions(), ...own };
  assertKnown("oauth()", options, keys);
  const { callbackUrl, redirection } = options;
  if (callbackUrl !== undefined && !URL.canParse(callbackUrl))
    throw new TypeError(
      'Option "callbackUrl" must be the whole URL where the user comes back, such as "https://app.example/oauth/callback"',
    );
  const way = redirection ?? (callbackUrl === undefined ? loopback(loopbackPart(options)) : { redirectUri: new URL(callbackUrl).href });
  // A path that was given is meant to the letter.
  const grantOptions = options.callbackPath === undefined ? options : { ownCallback: false, ...options };
  return new OAuthProvider(new AuthorizationCodeGrant(way, grantOptions), options);
}

/** The options of the way over this machine, without undefined members. */
function loopbackPart({ open, port, callbackHost: host, callbackPath: path }: UserLoginOptions): LoopbackOptions {
  return {
    ...(open !== undefined && { open }),
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
  };
}
