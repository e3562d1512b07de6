/**
 * The keys of one issuer: fetched when first needed, again when they are old or a token names one that is not there.
 *
 * Whoever sends tokens can make up key ids. So a strange id leads to the issuer once a minute at most, and a set that could
 * not be fetched is asked for again only after a pause. Keys come from where the issuer, or the operator, says; nothing in
 * a token leads anywhere.
 */
import { createLocalJWKSet, errors, type CryptoKey, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from "jose";
import { AuthorizationError } from "../authorization-error.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";

/** Milliseconds after which keys are looked at again, while the ones we have still count. */
const MAX_AGE = 10 * 60_000;
/** How long they count at all where the issuer cannot be reached. */
const MAX_STALE = 60 * 60_000;
/** Between two looks because of a strange key id. */
const COOL_DOWN = 60_000;
/** Between two tries while there are no keys. */
const RETRY = 5_000;
const MAX_KEYS = 100;

type Keys = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

export class IssuerKeys {
  readonly #fetch: GuardedFetch;
  readonly #locate: () => Promise<string>;
  #keys: Keys | undefined;
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #failure: unknown;
  #pending: Promise<void> | undefined;

  /** @param locate where the set is: asked before each time it is fetched */
  constructor(fetch: GuardedFetch, locate: () => Promise<string>) {
    this.#fetch = fetch;
    this.#locate = locate;
  }

  /**
   * The key a token says it was signed with.
   * @throws errors of `jose` where there is no such key; anything else where the keys cannot be had
   */
  async find(header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey> {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.#mayTry(COOL_DOWN)) throw error;
      await this.#refresh();
      return this.#keys!(header, token); // it was just fetched
    }
  }

  async #current(): Promise<Keys> {
    const age = performance.now() - this.#fetchedAt;
    if (this.#keys !== undefined && age <= MAX_STALE) {
      // Those who wait for an answer do not wait for this; a failure is seen when the keys are too old.
      if (age > MAX_AGE && this.#mayTry(COOL_DOWN)) this.#refresh().catch(() => undefined);
      return this.#keys;
    }
    if (this.#pending === undefined && !this.#mayTry(RETRY)) throw this.#failure;
    await this.#refresh();
    return this.#keys!; // it was just fetched
  }

  #mayTry(pause: number): boolean {
    return performance.now() - this.#triedAt >= pause;
  }

  /** One request, however many wait for it. */
  #refresh(): Promise<void> {
    return (this.#pending ??= this.#load().finally(() => {
      this.#pending = undefined;
    }));
  }

  async #load(): Promise<void> {
    this.#triedAt = performance.now();
    try {
      this.#keys = await this.#fetchKeys();
      this.#fetchedAt = performance.now();
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  async #fetchKeys(): Promise<Keys> {
    const url = await this.#locate();
    const { json, status } = await this.#fetch.json(url, { hop: "keys" });
    const bad = (problem: string): AuthorizationError =>
      new AuthorizationError({ hop: "keys", url, problem, remedy: "This is for whoever runs the authorization server to repair." });
    if (status !== 200) throw bad(`it answers with status ${status}`);
    const keys = json?.["keys"];
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw bad(`the answer is no set of at most ${MAX_KEYS} keys`);
    try {
      return createLocalJWKSet(json as unknown as JSONWebKeySet); // it checks what it is given
    } catch (cause) {
      throw new AuthorizationError({ hop: "keys", url, problem: "the answer is no JSON Web Key Set", remedy: "Repair it there.", cause });
    }
  }
}
