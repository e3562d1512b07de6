/**
 * Authorization of every command but `tenon login`: sends and refreshes stored credentials. If these are not enough, the
 * command ends with a message that says what to type. It never opens a login page in the middle of a call.
 */
import { LoginCommandError } from "../failure.ts";
import {
  type AuthProvider,
  type Authorizer,
  type ChallengeResponse,
  type SettleOptions,
  type GuardedFetchOptions,
  type OAuthProvider,
  type Redirection,
  type RequestToSign,
  oauth,
} from "tenon/auth";
import { readChallenge } from "tenon/internal";
import { CLIENT_NAME } from "./login-options.ts";
import type { Logins, LoginSettings } from "./logins.ts";

/** The options of a login, and the time limit for documents of its authorization server. */
type StoredSettings = LoginSettings & Pick<GuardedFetchOptions, "fetchTimeout">;

/** Manages the stored login of a server, and never opens a login page. @param settings the options of the login */
export function storedAccount(logins: Logins, server: URL, settings: StoredSettings): OAuthProvider {
  const redirection: Redirection = {
    begin() {
      throw new LoginCommandError(server, "wants a login");
    },
  };
  return oauth({ ...settings, store: logins.store, clientName: CLIENT_NAME, redirection });
}

export function storedCredentials(logins: Logins, server: URL, settings: StoredSettings): AuthProvider {
  const account = storedAccount(logins, server, settings);
  return { authorizerFor: (url) => new StoredAuthorizer(server, account.authorizerFor(url)) };
}

/** Replaces login errors by ones that say why a login is needed. */
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

  async settle(response: ChallengeResponse, request: RequestToSign, options?: SettleOptions): Promise<boolean> {
    try {
      return await this.#inner.settle(response, request, options);
    } catch (error) {
      if (!(error instanceof LoginCommandError) || !this.#signed.has(request)) throw error;
      if (response.status === 403) {
        const { scope } = readChallenge(response, this.#server);
        throw new LoginCommandError(this.#server, "wants more permissions than this login has", scope);
      }
      throw new LoginCommandError(this.#server, "does not take the stored login any more");
    }
  }
}
