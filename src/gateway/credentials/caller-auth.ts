/**
 * The option `auth` of a server behind a gateway, if its credentials differ by caller.
 *
 * Each principal gets an `AuthProvider` of its own, and connections of its own. No caller uses the credentials of another one, and none
 * falls back to the gateway's.
 */
import type { AuthProvider } from "../../auth/login/authorizer.ts";
import type { AuthInfo } from "../../auth/resource-server/auth-info.ts";

/** Whom credentials are made for: one authenticated client of the gateway, or the user of this machine. */
export interface CredentialsOwner {
  /** The principal, `principalOf` of its token; `"local"` for a client on this machine without one. */
  readonly principal: string;
  /** What the newest token of the principal says; undefined for a client without a token. */
  readonly auth: AuthInfo | undefined;
}

/** Credentials that differ by caller: the option `auth` of a server of `createGateway`. Made by {@link perCaller} and its like. */
export class CallerAuth {
  readonly #make: (owner: CredentialsOwner) => AuthProvider;

  /** @internal */
  constructor(make: (owner: CredentialsOwner) => AuthProvider) {
    this.#make = make;
  }

  /** @internal The credentials of one owner, for one connection. */
  providerFor(owner: CredentialsOwner): AuthProvider {
    return this.#make(owner);
  }

  /** @internal Callers with the same text have the same credentials. Other scopes are other credentials, because they allow other things. */
  keyOf({ principal, auth }: CredentialsOwner): string {
    return JSON.stringify([principal, ...[...(auth?.scopes ?? [])].toSorted()]);
  }
}

/**
 * Makes the credentials of a server for each caller: from a vault, or by a grant of `tenon/auth`. Security: pass an `account` to a grant
 * with a shared `store`, such as `owner.principal`, so that callers do not share tokens.
 * @param make called for each connection; a connection belongs to one principal with the same scopes
 */
export function perCaller(make: (owner: CredentialsOwner) => AuthProvider): CallerAuth {
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
