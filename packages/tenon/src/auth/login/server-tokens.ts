/**
 * The tokens of one server: reads them from the store, replaces them before they expire, and renews them when they are
 * refused.
 *
 * A renewal holds the store's lock and reads the store first. If another caller or process has renewed the tokens
 * meanwhile, those are used. So a refresh token is used once, even if many callers notice that a token has expired.
 */
import { LinkedAbort } from "../../base/abort.ts";
import { AuthorizationError } from "../authorization-error.ts";
import type { AuthStore } from "./auth-store.ts";
import { Credentials, type TokenSet } from "./credentials.ts";
import type { DpopProver } from "./dpop-prover.ts";
import type { Grant, PendingLogin } from "./grant.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { isSameIssuer } from "../issuer-name.ts";
import { includesScopes, type Scope } from "../scope.ts";
import { SharedWork } from "./shared-work.ts";
import { grantedTo } from "./token-set.ts";
import { TokenSource, type RenewalReason } from "./token-source.ts";

/** Tokens in use, and the prover if they are bound to a key. */
export interface HeldTokens {
  readonly tokens: TokenSet;
  readonly prover: DpopProver | undefined;
}

/** How tokens were renewed: by another caller or process, by a refresh, by the grant, or not, because a user would have been asked. */
export type Renewal = "adopted" | "refreshed" | "obtained" | "withheld";

/** The status of a login. Holds nothing secret. */
export interface LoginStatus {
  /** The authorization server that gave the tokens. */
  readonly issuer: string;
  /** The resource that the tokens are for, as the server publishes it. */
  readonly resource: string | undefined;
  /** The client id of this program at the issuer. */
  readonly clientId: string | undefined;
  /** The granted scope, or the requested one if the issuer does not say. */
  readonly scope: Scope | undefined;
  /** Milliseconds since 1970; undefined if the issuer does not say. */
  readonly expiresAt: number | undefined;
  /** Whether the tokens can be renewed without a user. */
  readonly renewable: boolean;
}

/** Milliseconds until the next attempt, if a token could not be replaced but is still valid. */
const PAUSE = 30_000;

export class ServerTokens {
  readonly #server: URL;
  readonly #grant: Grant;
  readonly #credentials: Credentials;
  readonly #source: TokenSource;
  readonly #work = new SharedWork<Renewal>();
  #held: HeldTokens | undefined;
  #loading: Promise<void> | undefined;
  #pausedUntil = 0;

  /** @throws RangeError if an option has a wrong value */
  constructor(
    server: URL,
    { grant, store, options }: { readonly grant: Grant; readonly store: AuthStore; readonly options: OAuthOptions },
  ) {
    this.#server = server;
    this.#grant = grant;
    this.#credentials = new Credentials(store, options.account ?? "");
    this.#source = new TokenSource(server, { grant, credentials: this.#credentials, options });
  }

  /** The tokens that can be sent right now; undefined if they have to be read or replaced first. */
  get atHand(): HeldTokens | undefined {
    return this.#held !== undefined && !this.#isDue(this.#held.tokens) ? this.#held : undefined;
  }

  /** The prover of the held tokens, also if they are due for renewal. */
  get prover(): DpopProver | undefined {
    return this.#held?.prover;
  }

  /** Reads or replaces the tokens if needed, and returns them; undefined if there are none. @throws `signal.reason` */
  async current(signal: AbortSignal): Promise<HeldTokens | undefined> {
    this.#loading ??= this.#load();
    await this.#loading;
    const tokens = this.#held?.tokens;
    if (tokens !== undefined && this.#isDue(tokens)) await this.#replaceInTime(tokens, signal);
    return this.#held;
  }

  /** Replaces refused tokens. @throws AuthorizationError; `signal.reason` */
  renew(need: RenewalReason, signal: AbortSignal): Promise<Renewal> {
    const { used, challenge, stepUp, fresh, silent = false } = need;
    const key = JSON.stringify([used, stepUp, fresh, stepUp ? challenge.scope : null, silent]);
    return this.#work.join(key, signal, (shared) => this.#locked(shared, (held) => this.#renew(need, held)));
  }

  // ---- reading and storing ----

  async #load(): Promise<void> {
    const stored = await this.#read();
    if (stored !== undefined) await this.#hold(stored);
  }

  async #read(): Promise<TokenSet | undefined> {
    const binding = await this.#credentials.server(this.#server);
    const { issuer, preregisteredId } = this.#grant;
    if (binding === undefined || (issuer !== undefined && !isSameIssuer(issuer, binding.issuer))) return undefined;
    return this.#credentials.tokens(binding, preregisteredId);
  }

  async #hold(tokens: TokenSet): Promise<void> {
    this.#pausedUntil = 0;
    this.#held = { tokens, prover: tokens.dpopKey && (await this.#source.proverOf(tokens.dpopKey)) };
  }

  /** Holds the tokens before it writes them, so that they stay usable in this process if the store fails. */
  async #keep(tokens: TokenSet): Promise<void> {
    await this.#hold(tokens);
    // Tokens without a user can be had again, so the store may drop them when they expire.
    const until = this.#grant.interactive || tokens.refreshToken !== undefined ? undefined : tokens.expiresAt;
    await this.#credentials.bindServer(this.#server, tokens);
    await this.#credentials.saveTokens(tokens, this.#grant.preregisteredId, until);
  }

  async #adopt(tokens: TokenSet): Promise<Renewal> {
    await this.#hold(tokens);
    return "adopted";
  }

  #locked<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = this.#credentials.key("renewal", this.#server.href);
    const locked = (lost: AbortSignal): Promise<T> => {
      const over = new LinkedAbort(signal, lost);
      return work(over.signal).finally(() => over.unlink());
    };
    return this.#credentials.store.lock(key, locked, signal);
  }

  // ---- before expiry ----

  #isDue({ renewAt, refreshToken }: TokenSet): boolean {
    const now = Date.now();
    return renewAt !== undefined && now >= renewAt && now >= this.#pausedUntil && (refreshToken !== undefined || !this.#grant.interactive);
  }

  /** Whether a token that can be had again without a user has expired. A store may have dropped it then. */
  #isOver({ expiresAt, refreshToken }: TokenSet): boolean {
    return !this.#grant.interactive && refreshToken === undefined && expiresAt !== undefined && expiresAt <= Date.now();
  }

  /** Errors here do not fail the request while the token may still be valid. */
  async #replaceInTime(used: TokenSet, signal: AbortSignal): Promise<void> {
    const key = JSON.stringify(["due", used.accessToken]);
    try {
      await this.#work.join(key, signal, (shared) => this.#locked(shared, (held) => this.#replace(used, held)));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AuthorizationError) || error.hop === "store" || this.#isOver(used)) throw error;
      this.#pausedUntil = Date.now() + PAUSE;
    }
  }

  async #replace(used: TokenSet, signal: AbortSignal): Promise<Renewal> {
    const stored = (await this.#read()) ?? (this.#isOver(used) ? used : undefined);
    if (stored === undefined) return this.#wait(); // logged out meanwhile
    if (stored.accessToken !== used.accessToken) return this.#adopt(stored);
    const at = await this.#source.back(stored, { known: stored, scope: stored.requested, signal });
    const tokens = stored.refreshToken === undefined ? await this.#source.obtain(at) : await this.#source.refresh(at, stored);
    if (tokens === undefined) return (await this.#withoutRefresh(stored)) ?? this.#wait();
    await this.#keep(tokens);
    return stored.refreshToken === undefined ? "obtained" : "refreshed";
  }

  /** Stops trying until the server refuses the token. */
  #wait(): Renewal {
    this.#pausedUntil = Infinity;
    return "adopted";
  }

  // ---- after a refusal ----

  async #renew(need: RenewalReason, signal: AbortSignal): Promise<Renewal> {
    const stored = await this.#read();
    const isOther = stored !== undefined && stored.accessToken !== need.used;
    if (isOther && (!need.stepUp || includesScopes(grantedTo(stored), need.challenge.scope))) return this.#adopt(stored);
    const withheld = need.silent === true && this.#grant.interactive;
    if (withheld && stored?.refreshToken === undefined) return "withheld";
    const at = await this.#source.find(need, stored, signal);
    const isSame = stored !== undefined && isSameIssuer(stored.issuer, at.issuer.metadata.issuer) && stored.resource === at.resource;
    if (isSame && stored.refreshToken !== undefined && !need.stepUp && !need.fresh) {
      const tokens = await this.#source.refresh(at, stored);
      if (tokens !== undefined) {
        await this.#keep(tokens);
        return "refreshed";
      }
      const adopted = await this.#withoutRefresh(stored);
      if (adopted !== undefined) return adopted;
    }
    if (withheld) return "withheld";
    await this.#keep(await this.#source.obtain(at));
    return "obtained";
  }

  /**
   * Handles a refused refresh token. In a store without a lock another process may have used it first; then its tokens are used.
   * Otherwise the refresh token is dropped, so that it is not tried again.
   */
  async #withoutRefresh(stored: TokenSet): Promise<Renewal | undefined> {
    const latest = await this.#read();
    if (latest !== undefined && latest.accessToken !== stored.accessToken) return this.#adopt(latest);
    await this.#keep({ ...stored, refreshToken: undefined });
    return undefined;
  }

  // ---- managing accounts ----

  /** Gets tokens from an issuer that was chosen before: the second half of a login (see `pending-login.ts`). */
  finish(login: PendingLogin, obtain: Grant["obtain"], signal: AbortSignal): Promise<void> {
    return this.#locked(signal, async (held) => {
      const at = await this.#source.back(login, { known: undefined, scope: login.scope, signal: held });
      await this.#keep(await this.#source.obtain(at, obtain));
    });
  }

  /**
   * Refreshes tokens that were not refused. @returns whether there was a refresh token @throws AuthorizationError; then nothing
   * is forgotten
   */
  refresh(signal: AbortSignal): Promise<boolean> {
    return this.#locked(signal, async (held) => {
      const stored = await this.#read();
      if (stored?.refreshToken === undefined) return false;
      const at = await this.#source.back(stored, { known: stored, scope: stored.requested, signal: held });
      await this.#keep(await this.#source.redeemRefreshToken(at, stored));
      return true;
    });
  }

  async status(): Promise<LoginStatus | undefined> {
    const stored = await this.#read();
    if (stored === undefined) return undefined;
    const { issuer, resource, clientId, expiresAt, refreshToken } = stored;
    const renewable = refreshToken !== undefined || !this.#grant.interactive;
    return { issuer, resource, clientId, scope: grantedTo(stored), expiresAt, renewable };
  }

  /** Forgets the tokens. Resolves with whether the issuer has confirmed their revocation. */
  logout(signal: AbortSignal): Promise<boolean> {
    return this.#locked(signal, async (held) => {
      const stored = await this.#read();
      this.#held = undefined;
      await this.#credentials.unbindServer(this.#server);
      if (stored === undefined) return false;
      await this.#credentials.deleteTokens(stored, this.#grant.preregisteredId);
      return this.#source.revoke(stored, held);
    });
  }
}
