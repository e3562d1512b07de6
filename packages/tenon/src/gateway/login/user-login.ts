/**
 * `userLogin()`: each user logs in at the server, and the gateway keeps the user's tokens.
 *
 * A connection uses and refreshes tokens that are there. If there are none it fails with `LoginNeededError`: a list never sends a user
 * away, only a call does (`login-desk.ts`).
 */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import { AuthorizationCodeGrant, authorizationCodeOptions, type AuthorizationCodeOptions } from "../../auth/grants/authorization-code.ts";
import { oauth } from "../../auth/grants/oauth.ts";
import type { CallbackHost, OpenPage } from "../../auth/grants/redirection.ts";
import type { AuthProvider, Authorizer } from "../../auth/login/authorizer.ts";
import { readChallenge } from "../../auth/login/challenge.ts";
import type { Grant } from "../../auth/login/grant.ts";
import { assertResource, oauthOptions, type OAuthOptions } from "../../auth/login/oauth-options.ts";
import { OAuthProvider } from "../../auth/login/oauth-provider.ts";
import { CallerAuth, LOCAL, type LoginTerms } from "../credentials/caller-auth.ts";
import { LoginNeededError } from "./login-needed.ts";

/** Options of {@link userLogin}. */
export interface GatewayUserLoginOptions extends Omit<OAuthOptions, "account" | "store">, AuthorizationCodeOptions {
  /** Shows the login page to the user of this machine. Security: it must not pass the URL to a shell. Default: the system's browser. */
  readonly open?: OpenPage;
  /** The port on 127.0.0.1 where the user of this machine comes back. Default: a free one. */
  readonly port?: number;
  /** The name of this machine in the URL where that user comes back, as for `oauth()`. Default `"127.0.0.1"`. */
  readonly callbackHost?: CallbackHost;
  /** The path of that URL, as for `oauth()`. Default `"/callback"`, and below it one for each issuer. */
  readonly callbackPath?: string;
}

/**
 * Lets each user log in at the server. The first call that needs it asks the user to open a page of the gateway (option `logins` of
 * `createGateway`), and goes on by itself after the login. A client on this machine without a token gets the system's browser instead.
 * @throws TypeError if a client has a secret and no `issuer`, or an option does not exist; RangeError if an option has a wrong value
 */
export function userLogin(options: GatewayUserLoginOptions = {}): CallerAuth {
  const { account: _account, store: _store, ...common } = oauthOptions();
  const own = { open: 1, port: 1, callbackHost: 1, callbackPath: 1 } as const;
  const keys: OptionKeys<GatewayUserLoginOptions> = { ...common, ...authorizationCodeOptions(), ...own };
  assertKnown("userLogin()", options, keys);
  assertResource(options.resource);
  const { open: _open, port: _port, callbackHost: _callbackHost, callbackPath: _callbackPath, ...login } = options;
  const grant = loginNeededGrant(login);
  const termsOf = ({ principal, store, scope }: LoginTerms): OAuthOptions => ({
    ...login,
    // A scope of the options would hide what the server has asked for since.
    ...(login.scope !== undefined && scope !== undefined && { scope: scope.join(" ") }),
    store,
    account: principal === LOCAL ? "" : principal, // the user of this machine has the logins of `tenon login`, if the store is the same
  });
  return new CallerAuth(({ principal }, store) => observed(new OAuthProvider(grant, oauthPart(termsOf({ principal, store })))), {
    keyOf: ({ principal }) => JSON.stringify([principal]),
    login: {
      here: (terms) => oauth({ ...options, ...termsOf(terms) }),
      away: (terms, callbackUrl) => {
        const all = { ...login, ...termsOf(terms) };
        return new OAuthProvider(new AuthorizationCodeGrant({ redirectUri: callbackUrl, isForIssuers: true }, all), oauthPart(all));
      },
    },
  });
}

/** The options that concern all grants: a grant has its own already. */
function oauthPart(options: OAuthOptions): OAuthOptions {
  const names = Object.keys(oauthOptions());
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/** The grant of a connection: it never begins a login, and fails with a `LoginNeededError` where it would. @throws as `oauth()` */
function loginNeededGrant(options: AuthorizationCodeOptions & Pick<OAuthOptions, "scope">): Grant {
  const grant = new AuthorizationCodeGrant({ redirectUri: "" }, options);
  return {
    interactive: true,
    issuer: grant.issuer,
    preregisteredId: grant.preregisteredId,
    knownClient: (at) => grant.knownClient(at),
    forgetClient: (at) => grant.forgetClient(at),
    obtain: ({ server, scope }) => Promise.reject(new LoginNeededError(server, scope)),
  };
}

/** Notes where a server that needs a login publishes its metadata. */
function observed(provider: OAuthProvider): AuthProvider {
  return {
    authorizerFor(server: URL): Authorizer {
      const authorizer = provider.authorizerFor(server);
      return {
        sign: (request, url) => authorizer.sign(request, url),
        settle: async (response, request) => {
          try {
            return await authorizer.settle(response, request);
          } catch (error) {
            if (error instanceof LoginNeededError) error.noteMetadata(readChallenge(response, server).resourceMetadata);
            throw error;
          }
        },
      };
    },
  };
}
