/**
 * A grant, ready to be used: what `connect(url, { auth })` takes, and what looks after accounts (log in, log out, who am I).
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import { AuthorizationError } from "../authorization-error.ts";
import { MemoryStore, type AuthStore } from "./auth-store.ts";
import type { AuthProvider, Authorizer, ChallengeResponse } from "./authorizer.ts";
import { readChallenge } from "./challenge.ts";
import { Credentials } from "./credentials.ts";
import type { Grant } from "./grant.ts";
import { OAuthAuthorizer } from "./oauth-authorizer.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { takePendingLogin } from "./pending-login.ts";
import { parseScope } from "../scope.ts";
import { ServerTokens, type LoginStatus } from "./server-tokens.ts";
import { isLoopbackName, UrlPolicy } from "../url-policy.ts";

/** Options of what may take a while. */
export interface Abortable {
  /** Gives up. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link OAuthProvider.login}. */
export interface LoginOptions extends Abortable {
  /**
   * The response with which the server asked for a login, where there was one: it may say where its metadata is, and which
   * scope it wants. Default: the well-known places, and all scopes that the metadata names.
   */
  readonly challenge?: ChallengeResponse;
}

const NEVER: AbortSignal = new AbortController().signal;
const NO_CHALLENGE: ChallengeResponse = { status: 401, headers: new Headers() };

/**
 * A grant for any number of servers: logs in where it is needed, and keeps, renews and forgets what came of it. Made by
 * `oauth()` and its like.
 */
export class OAuthProvider implements AuthProvider {
  readonly #grant: Grant;
  readonly #store: AuthStore;
  readonly #options: OAuthOptions;

  /** @internal @throws RangeError for an option that is none */
  constructor(grant: Grant, options: OAuthOptions) {
    if (options.scope !== undefined && parseScope(options.scope) === undefined)
      throw new RangeError('Option "scope" holds what is no scope');
    void new UrlPolicy(options); // what is wrong with its options is said now, not at the first challenge
    this.#grant = grant;
    this.#options = options;
    this.#store = options.store ?? new MemoryStore();
  }

  /**
   * What authorizes the requests to one server.
   * @throws AuthorizationError for a server without TLS that is not on this machine: a token would be there for all to read
   */
  authorizerFor(server: URL): Authorizer {
    return new OAuthAuthorizer(server, this.#tokensOf(server));
  }

  /** Gets tokens for a server before it asks for them, anew where there are some. @throws AuthorizationError; `signal.reason` */
  async login(server: string | URL, { signal = NEVER, challenge = NO_CHALLENGE }: LoginOptions = {}): Promise<LoginStatus> {
    const url = new URL(server);
    const tokens = this.#tokensOf(url);
    const held = await tokens.current(signal);
    await tokens.renew({ used: held?.tokens.accessToken, challenge: readChallenge(challenge, url), stepUp: false, fresh: true }, signal);
    return (await tokens.status())!; // there are tokens now
  }

  /**
   * Replaces the tokens for a server now, though nobody refused them: to find out whether that can be done.
   * @returns whether there was a refresh token
   * @throws AuthorizationError of the hop `"refresh"` where the issuer does not take it (it is then forgotten); `signal.reason`
   */
  refresh(server: string | URL, { signal = NEVER }: Abortable = {}): Promise<boolean> {
    return this.#tokensOf(new URL(server)).refresh(signal);
  }

  /**
   * The second half of a login whose user was sent away: the code is redeemed and the tokens kept. Call it in the session of
   * the user who was sent away, and of nobody else (`account` tells the records of users apart).
   * @param callback the URL the user came back to, as it arrived
   * @returns the server the user is logged in to now
   * @throws AuthorizationError; McpUsageError for a grant that sends nobody away
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

  /** Who this client is to a server, from the store; undefined where it has no tokens. Nothing secret is in it. */
  status(server: string | URL): Promise<LoginStatus | undefined> {
    return this.#tokensOf(new URL(server)).status();
  }

  /**
   * Forgets the tokens for a server, and revokes them where the issuer has a way to (RFC 7009).
   * @returns whether the issuer has confirmed that
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

/** @throws AuthorizationError */
export function assertSecure(server: URL): void {
  if (server.protocol === "https:" || isLoopbackName(server.hostname)) return;
  const remedy = 'Use its https: URL. Where there is none, and the network is to be trusted, pass the header yourself in option "headers".';
  throw new AuthorizationError({ hop: "access", url: server, problem: "a token must not be sent over plain HTTP", remedy });
}
