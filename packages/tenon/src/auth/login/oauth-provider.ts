/** `OAuthProvider`: a grant that is ready for use by `connect(url, { auth })`, and that manages accounts (log in, log out, status). */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { MemoryStore, type AuthStore } from "./auth-store.ts";
import type { AuthProvider, Authorizer, ChallengeResponse } from "./authorizer.ts";
import { readChallenge } from "./challenge.ts";
import { Credentials } from "./credentials.ts";
import type { Grant } from "./grant.ts";
import { OAuthAuthorizer } from "./oauth-authorizer.ts";
import { assertResource, type OAuthOptions } from "./oauth-options.ts";
import { takePendingLogin } from "./pending-login.ts";
import { parseScope } from "../scope.ts";
import { ServerTokens, type LoginStatus } from "./server-tokens.ts";
import { isLoopbackName, UrlPolicy } from "../url-policy.ts";

/** Options of an operation that can be abandoned. */
export interface Abortable {
  /** Abandons the operation. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link OAuthProvider.login}. */
export interface LoginOptions extends Abortable {
  /**
   * The response by which the server asked for a login: it may name the URL of its metadata and the scope, which is added to option `scope`. Default: the
   * well-known places, and all scopes that the metadata names.
   */
  readonly challenge?: ChallengeResponse;
}

const NEVER: AbortSignal = new AbortController().signal;
const NO_CHALLENGE: ChallengeResponse = { status: 401, headers: new Headers() };

/** A grant for any number of servers: logs in when needed, and keeps, renews and forgets tokens. `oauth()` and its like return it. */
export class OAuthProvider implements AuthProvider {
  readonly #grant: Grant;
  readonly #store: AuthStore;
  readonly #options: OAuthOptions;

  /** @internal @throws RangeError, TypeError if an option has a wrong value */
  constructor(grant: Grant, options: OAuthOptions) {
    // A program without types may pass a list.
    if (options.scope !== undefined && (typeof options.scope !== "string" || parseScope(options.scope) === undefined))
      throw new RangeError('Option "scope" must be scopes separated by spaces: printable ASCII without " and \\');
    assertResource(options.resource);
    if (options.store !== undefined && typeof options.store.lock !== "function")
      throw new TypeError('Option "store" must be an AuthStore, such as fileStore() of "tenon/node"');
    void new UrlPolicy(options); // checks the options now, not at the first challenge
    this.#grant = grant;
    this.#options = options;
    this.#store = options.store ?? new MemoryStore();
  }

  /**
   * Returns the authorizer for one server.
   * @throws AuthorizationError if the server has no TLS and is not on this machine, because others could read the token
   */
  authorizerFor(server: URL): Authorizer {
    return new OAuthAuthorizer(server, this.#tokensOf(server));
  }

  /** Gets new tokens for a server before it asks for them, also if there are some. @throws AuthorizationError; `signal.reason` */
  async login(server: string | URL, { signal = NEVER, challenge = NO_CHALLENGE }: LoginOptions = {}): Promise<LoginStatus> {
    const url = new URL(server);
    const tokens = this.#tokensOf(url);
    const held = await tokens.current(signal);
    const need = { used: held?.tokens.accessToken, challenge: readChallenge(challenge, url), stepUp: false, fresh: true, isAsked: true };
    await tokens.renew(need, signal);
    return (await tokens.status())!; // there are tokens now
  }

  /**
   * Refreshes the tokens for a server now, for example to find out whether that works.
   * @returns whether there was a refresh token
   * @throws AuthorizationError of the hop `"refresh"` if the issuer refuses the refresh token (it is then forgotten); `signal.reason`
   */
  refresh(server: string | URL, { signal = NEVER }: Abortable = {}): Promise<boolean> {
    return this.#tokensOf(new URL(server)).refresh(signal);
  }

  /**
   * Finishes a login whose user was sent away: redeems the code and stores the tokens. Security: call it only in the web session
   * of that user (`account` separates the records of users).
   * @param callback the URL that the user came back to, unchanged
   * @returns the server that the user is now logged in to
   * @throws AuthorizationError; McpUsageError if the grant sends no user away
   */
  async finish(callback: string | URL, { signal = NEVER }: Abortable = {}): Promise<URL> {
    const grant = this.#grant;
    if (!("redeem" in grant)) throw new McpUsageError('finish() is for oauth({ callbackUrl: "…" })');
    const url = new URL(callback);
    const login = await takePendingLogin(new Credentials(this.#store, this.#options.account ?? ""), url, signal);
    const server = new URL(login.server);
    await this.#tokensOf(server).finish(login, (at) => grant.redeem!(at, login, url.searchParams), signal);
    return server;
  }

  /** The status of the login at a server, from the store; undefined if there are no tokens. It holds nothing secret. */
  status(server: string | URL): Promise<LoginStatus | undefined> {
    return this.#tokensOf(new URL(server)).status();
  }

  /**
   * Forgets the tokens for a server, and revokes them if the issuer supports that (RFC 7009).
   * @returns whether the issuer has confirmed the revocation
   */
  logout(server: string | URL, { signal = NEVER }: Abortable = {}): Promise<boolean> {
    return this.#tokensOf(new URL(server)).logout(signal);
  }

  #tokensOf(server: URL): ServerTokens {
    const url = new URL(server);
    url.hash = "";
    assertSecure(url);
    return new ServerTokens(url, { grant: this.#grant, store: this.#store, options: this.#options });
  }
}

export function assertSecure(server: URL): void {
  if (server.protocol === "https:" || isLoopbackName(server.hostname)) return;
  const remedy = 'Use its https: URL. If there is none, and you trust the network, pass the header yourself in option "headers".';
  throw new AuthorizationError({ hop: "access", url: server, problem: "a token must not be sent over plain HTTP", remedy });
}
