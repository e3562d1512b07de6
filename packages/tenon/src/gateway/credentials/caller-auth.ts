/**
 * The option `auth` of a server behind a gateway, if its credentials differ by caller.
 *
 * Each principal gets an `AuthProvider` of its own, and connections of its own. No caller uses the credentials of another one, and none
 * falls back to the gateway's.
 */
import type { AuthStore } from "../../auth/login/auth-store.ts";
import type { AuthProvider } from "../../auth/login/authorizer.ts";
import type { OAuthProvider } from "../../auth/login/oauth-provider.ts";
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";

/** Whom credentials are made for: one authenticated client of the gateway, or the user of this machine. */
export interface CredentialsOwner {
  /** The principal, `principalOf` of its token; `"local"` for a client on this machine without one. */
  readonly principal: string;
  /** What the newest token of the principal says; undefined for a client without a token. */
  readonly auth: AuthInfo | undefined;
}

/** The principal of a client on this machine that has no token. */
export const LOCAL = "local";

/** Whose login it is, where it is kept, and what the server has asked for. */
export interface LoginTerms {
  readonly principal: string;
  readonly store: AuthStore;
  readonly scope?: readonly string[] | undefined;
}

/** How a user logs in at a server: with a browser on this machine, or by the pages of the gateway. */
export interface LoginWays {
  here(terms: LoginTerms): OAuthProvider;
  away(terms: LoginTerms, callbackUrl: string): OAuthProvider;
}

/** What some credentials do in a way of their own. */
interface CallerAuthWays {
  /** Callers with the same text have the same credentials. Default: the principal and the scopes, because other scopes allow other things. */
  readonly keyOf?: (owner: CredentialsOwner) => string;
  /** How users log in; absent if no user takes part. */
  readonly login?: LoginWays;
}

/** Credentials that differ by caller: the option `auth` of a server of `createGateway`. Made by {@link perCaller} and its like. */
export class CallerAuth {
  /** @internal How users log in; undefined if no user takes part. */
  readonly login: LoginWays | undefined;
  /** @internal Callers with the same text have the same credentials. */
  readonly keyOf: (owner: CredentialsOwner) => string;
  readonly #make: (owner: CredentialsOwner, store: AuthStore) => AuthProvider;

  /** @internal */
  constructor(make: (owner: CredentialsOwner, store: AuthStore) => AuthProvider, { keyOf = keyOfToken, login }: CallerAuthWays = {}) {
    this.#make = make;
    this.keyOf = keyOf;
    this.login = login;
  }

  /** @internal The credentials of one owner, for one connection. @param store where logins of users are kept */
  providerFor(owner: CredentialsOwner, store: AuthStore): AuthProvider {
    return this.#make(owner, store);
  }
}

function keyOfToken({ principal, auth }: CredentialsOwner): string {
  return JSON.stringify([principal, ...[...(auth?.scopes ?? [])].toSorted()]);
}

/**
 * Makes the credentials of a server for each caller: from a vault, or by a grant of `tenon/auth`. Security: pass an `account` to a grant
 * with a shared `store`, such as `owner.principal`, so that callers do not share tokens.
 * @param make called for each connection; a connection belongs to one principal with the same scopes
 * @throws TypeError if `make` is no function
 */
export function perCaller(make: (owner: CredentialsOwner) => AuthProvider): CallerAuth {
  if (typeof make !== "function") throw new TypeError("perCaller() needs a function of the caller: perCaller((owner) => bearerToken(…))");
  return new CallerAuth(make);
}

/** The owner of a connection, with what its newest token says. */
export class LiveOwner implements CredentialsOwner {
  readonly principal: string;
  auth: AuthInfo | undefined;

  constructor({ principal, auth }: CredentialsOwner) {
    this.principal = principal;
    this.auth = auth;
  }

  /** Takes over what the token of the latest call says. */
  renew(auth: AuthInfo | undefined): void {
    this.auth = auth;
  }
}
