/**
 * Authorization for every command but `tenon login`: what is stored is sent and refreshed; where that is not enough, the
 * command ends with what to type. Nobody is sent to a page in the middle of a call.
 */
import { LoginNeededError } from "../failure.ts";
import type { Authorizer, AuthProvider, ChallengeResponse, RequestToSign } from "../../auth/login/authorizer.ts";
import { readChallenge } from "../../auth/login/challenge.ts";
import type { GuardedFetchOptions } from "../../auth/guarded-fetch.ts";
import { oauth } from "../../auth/grants/oauth.ts";
import type { OAuthProvider } from "../../auth/login/oauth-provider.ts";
import type { Redirection } from "../../auth/grants/redirection.ts";
import { CLIENT_NAME } from "./login-options.ts";
import type { Logins, LoginSettings } from "./logins.ts";

/** Those of a login; milliseconds for one document of its authorization server, default 10 000. */
type StoredSettings = LoginSettings & Pick<GuardedFetchOptions, "fetchTimeout">;

/** Looks after what is stored for a server, and never asks anybody to log in. @param settings those of the login */
export function storedAccount(logins: Logins, server: URL, settings: StoredSettings): OAuthProvider {
  const redirection: Redirection = {
    begin() {
      throw new LoginNeededError(server, "wants a login");
    },
  };
  return oauth({ ...settings, store: logins.store, clientName: CLIENT_NAME, redirection });
}

/** The same for a connection. */
export function storedCredentials(logins: Logins, server: URL, settings: StoredSettings): AuthProvider {
  const account = storedAccount(logins, server, settings);
  return { authorizerFor: (url) => new StoredAuthorizer(server, account.authorizerFor(url)) };
}

/** Says more exactly why a login is needed than who is asked for one can. */
class StoredAuthorizer implements Authorizer {
  readonly #server: URL;
  readonly #inner: Authorizer;
  /** Requests that carried credentials. */
  readonly #signed = new WeakSet<RequestToSign>();

  constructor(server: URL, inner: Authorizer) {
    this.#server = server;
    this.#inner = inner;
  }

  async sign(request: RequestToSign, url: URL): Promise<{ readonly [name: string]: string }> {
    const headers = await this.#inner.sign(request, url);
    if ("authorization" in headers) this.#signed.add(request);
    return headers;
  }

  async settle(response: ChallengeResponse, request: RequestToSign): Promise<boolean> {
    try {
      return await this.#inner.settle(response, request);
    } catch (error) {
      if (!(error instanceof LoginNeededError) || !this.#signed.has(request)) throw error;
      if (response.status === 403) {
        const { scope } = readChallenge(response, this.#server);
        throw new LoginNeededError(this.#server, "wants more permissions than this login has", scope);
      }
      throw new LoginNeededError(this.#server, "does not take the stored login any more");
    }
  }
}
