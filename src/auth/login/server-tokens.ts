/**
 * The tokens of one server: read from the store, replaced before they expire, and renewed when they are refused.
 *
 * Whoever renews holds the store's lock and reads first: a token that somebody else got meanwhile, here or in another
 * process, is taken as it is. So a refresh token is used once, however many notice that a token has expired (M5.3).
 */
import { LinkedAbort } from "../../base/abort.ts";
import { AuthorizationError } from "../authorization-error.ts";

import type { AuthStore } from "./auth-store.ts";
import { Credentials, type TokenSet } from "./credentials.ts";
import type { DpopProver } from "./dpop-prover.ts";
import type { Grant, PendingLogin } from "./grant.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { includesScopes, type Scope } from "../scope.ts";
import { SharedWork } from "./shared-work.ts";
import { grantedTo } from "./token-set.ts";
import { TokenSource, type RenewalReason } from "./token-source.ts";

/** A grant, and where its tokens are kept. */
export interface ServerTokensOptions {
  readonly grant: Grant;
  readonly store: AuthStore;
  readonly options: OAuthOptions;
}

/** Tokens in use, with what proves that they are ours. */
export interface HeldTokens {
  readonly tokens: TokenSet;
  readonly prover: DpopProver | undefined;
}

/** What came of a renewal: somebody else had done it, a refresh, or the grant anew. */
export type Renewal = "adopted" | "refreshed" | "obtained";

/** What is known of a login, without anything secret. */
export interface LoginStatus {
  /** The authorization server that gave the tokens. */
  readonly issuer: string;
  /** What the tokens are for, as the server publishes it. */
  readonly resource: string | undefined;
  /** This program, as the issuer knows it. */
  readonly clientId: string | undefined;
  /** What was granted, where the issuer said; else what was asked for. */
  readonly scope: Scope | undefined;
  /** Milliseconds since 1970, where the issuer said. */
  readonly expiresAt: number | undefined;
  /** Whether they can be replaced without a user. */
  readonly renewable: boolean;
}

/** Milliseconds until another try, where a token could not be replaced in time but is still good. */
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

  /** @throws RangeError for an option that is none */
  constructor(server: URL, { grant, store, options }: ServerTokensOptions) {
    this.#server = server;
    this.#grant = grant;
    this.#credentials = new Credentials(store, options.account ?? "");
    this.#source = new TokenSource(server, { grant, credentials: this.#credentials, options });
  }

  /** What may be sent right now; undefined where it has to be read or replaced first. */
  get atHand(): HeldTokens | undefined {
    return this.#held !== undefined && !this.#isDue(this.#held.tokens) ? this.#held : undefined;
  }

  /** What proves the tokens that are held, whether or not they are due. */
  get prover(): DpopProver | undefined {
    return this.#held?.prover;
  }

  /** What may be sent, after reading or replacing it; undefined where there is nothing. @throws `signal.reason` */
  async current(signal: AbortSignal): Promise<HeldTokens | undefined> {
    this.#loading ??= this.#load();
    await this.#loading;
    const tokens = this.#held?.tokens;
    if (tokens !== undefined && this.#isDue(tokens)) await this.#replaceInTime(tokens, signal);
    return this.#held;
  }

  /** Gets tokens in the place of those that were refused. @throws AuthorizationError; `signal.reason` */
  renew(need: RenewalReason, signal: AbortSignal): Promise<Renewal> {
    const { used, challenge, stepUp, fresh } = need;
    const key = JSON.stringify([used, stepUp, fresh, stepUp ? challenge.scope : null]);
    return this.#work.join(key, signal, (shared) => this.#locked(shared, (held) => this.#renew(need, held)));
  }

  // ---- reading and keeping ----

  async #load(): Promise<void> {
    const stored = await this.#read();
    if (stored !== undefined) await this.#hold(stored);
  }

  async #read(): Promise<TokenSet | undefined> {
    const binding = await this.#credentials.server(this.#server);
    const { issuer, preregisteredId } = this.#grant;
    if (binding === undefined || (issuer !== undefined && issuer !== binding.issuer)) return undefined;
    return this.#credentials.tokens(binding, preregisteredId);
  }

  async #hold(tokens: TokenSet): Promise<void> {
    this.#pausedUntil = 0;
    this.#held = { tokens, prover: tokens.dpopKey && (await this.#source.proverOf(tokens.dpopKey)) };
  }

  /** Held before it is written: a store that fails loses nothing for this process. */
  async #keep(tokens: TokenSet): Promise<void> {
    await this.#hold(tokens);
    await this.#credentials.bindServer(this.#server, tokens);
    await this.#credentials.saveTokens(tokens, this.#grant.preregisteredId);
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

  // ---- in time ----

  #isDue({ renewAt, refreshToken }: TokenSet): boolean {
    const now = Date.now();
    return renewAt !== undefined && now >= renewAt && now >= this.#pausedUntil && (refreshToken !== undefined || !this.#grant.interactive);
  }

  /** What goes wrong here is not the request's fault: the token is good, or its refusal will say so. */
  async #replaceInTime({ accessToken }: TokenSet, signal: AbortSignal): Promise<void> {
    const key = JSON.stringify(["due", accessToken]);
    try {
      await this.#work.join(key, signal, (shared) => this.#locked(shared, (held) => this.#replace(accessToken, held)));
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AuthorizationError) || error.hop === "store") throw error;
      this.#pausedUntil = Date.now() + PAUSE;
    }
  }

  async #replace(used: string, signal: AbortSignal): Promise<Renewal> {
    const stored = await this.#read();
    if (stored === undefined) return this.#wait(); // logged out meanwhile
    if (stored.accessToken !== used) return this.#adopt(stored);
    const at = await this.#source.back(stored, { known: stored, scope: stored.requested, signal });
    const tokens = stored.refreshToken === undefined ? await this.#source.obtain(at) : await this.#source.refresh(at, stored);
    if (tokens === undefined) return (await this.#withoutRefresh(stored)) ?? this.#wait();
    await this.#keep(tokens);
    return stored.refreshToken === undefined ? "obtained" : "refreshed";
  }

  /** There is nothing left to try before the server refuses the token. */
  #wait(): Renewal {
    this.#pausedUntil = Infinity;
    return "adopted";
  }

  // ---- after a refusal ----

  async #renew(need: RenewalReason, signal: AbortSignal): Promise<Renewal> {
    const stored = await this.#read();
    const isOther = stored !== undefined && stored.accessToken !== need.used;
    if (isOther && (!need.stepUp || includesScopes(grantedTo(stored), need.challenge.scope))) return this.#adopt(stored);
    const at = await this.#source.find(need, stored, signal);
    const isSame = stored?.issuer === at.issuer.metadata.issuer && stored.resource === at.resource;
    if (isSame && stored.refreshToken !== undefined && !need.stepUp && !need.fresh) {
      const tokens = await this.#source.refresh(at, stored);
      if (tokens !== undefined) {
        await this.#keep(tokens);
        return "refreshed";
      }
      const adopted = await this.#withoutRefresh(stored);
      if (adopted !== undefined) return adopted;
    }
    await this.#keep(await this.#source.obtain(at));
    return "obtained";
  }

  /**
   * A refresh token was refused. In a store without a lock somebody else may have used it first: what they got is as good.
   * Else it is dropped, so that nobody tries it again.
   */
  async #withoutRefresh(stored: TokenSet): Promise<Renewal | undefined> {
    const latest = await this.#read();
    if (latest !== undefined && latest.accessToken !== stored.accessToken) return this.#adopt(latest);
    await this.#keep({ ...stored, refreshToken: undefined });
    return undefined;
  }

  // ---- for whoever looks after accounts ----

  /** Gets tokens at an issuer that was chosen before: the second half of a login (see `pending-login.ts`). */
  finish(login: PendingLogin, obtain: Grant["obtain"], signal: AbortSignal): Promise<void> {
    return this.#locked(signal, async (held) => {
      const at = await this.#source.back(login, { known: undefined, scope: login.scope, signal: held });
      await this.#keep(await this.#source.obtain(at, obtain));
    });
  }

  /**
   * Replaces tokens that nobody refused. @returns whether there was a refresh token @throws AuthorizationError, and nothing is
   * forgotten
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

  /** Forgets the tokens. Resolves with whether the issuer has confirmed that they are void. */
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
