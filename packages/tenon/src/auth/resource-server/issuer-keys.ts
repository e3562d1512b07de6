/**
 * The keys of one issuer: fetched when first needed, and again when they are old or a token names an unknown one.
 *
 * Senders of tokens can make up key ids, so an unknown id causes one fetch a minute at most, and failed fetches are
 * repeated only after a pause. Security: keys come only from the URL that the issuer or the operator names, never from a
 * token, and weak ones are left out (`weak-keys.ts`).
 */
import { createLocalJWKSet, errors, type CryptoKey, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from "jose";
import { AuthorizationError } from "../authorization-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { GuardedFetch } from "../guarded-fetch.ts";
import { AccessRefusedError } from "./judge-token.ts";
import { weaknessOf } from "./weak-keys.ts";

/** Milliseconds after which keys are fetched again in the background. */
const MAX_AGE = 10 * 60_000;
/** Milliseconds for which old keys are used if the issuer cannot be reached. */
const MAX_STALE = 60 * 60_000;
/** Milliseconds between two fetches because of an unknown key id. */
const COOL_DOWN = 60_000;
/** Milliseconds between two attempts while there are no keys. */
const RETRY = 5_000;
const MAX_KEYS = 100;

type Keys = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<CryptoKey>;

export class IssuerKeys {
  readonly #fetch: GuardedFetch;
  readonly #locate: () => Promise<string>;
  #keys: Keys | undefined;
  /** What is wrong with keys of the set that were left out, by their names. */
  #weaknesses: ReadonlyMap<unknown, string> = new Map();
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #failure: unknown;
  #pending: Promise<void> | undefined;

  /** @param locate returns the URL of the key set; called before each fetch */
  constructor(fetch: GuardedFetch, locate: () => Promise<string>) {
    this.#fetch = fetch;
    this.#locate = locate;
  }

  /**
   * Finds the key that a token names.
   * @throws errors of `jose` if there is no such key; AccessRefusedError if it was left out; other errors if the keys cannot be fetched
   */
  async find(header?: JWSHeaderParameters, token?: FlattenedJWSInput): Promise<CryptoKey> {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      const weakness = this.#weaknesses.get(header?.kid);
      if (weakness !== undefined) throw new AccessRefusedError(`Access token refused: its key in the key set is not used: ${weakness}`);
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#hasNewer(keys))) throw error;
      return this.#keys!(header, token); // there are newer ones
    }
  }

  async #current(): Promise<Keys> {
    const age = performance.now() - this.#fetchedAt;
    if (this.#keys !== undefined && age <= MAX_STALE) {
      // Requests do not wait for this fetch. Its failure matters only once the keys are too old.
      if (age > MAX_AGE && this.#mayTry(COOL_DOWN)) this.#refresh().catch(() => undefined);
      return this.#keys;
    }
    if (this.#pending === undefined && !this.#mayTry(RETRY)) throw this.#failure;
    await this.#refresh();
    return this.#keys!; // it was just fetched
  }

  /** Whether there are other keys than those, after a fetch if one may be made. Another request may have begun it, or ended it meanwhile. */
  async #hasNewer(keys: Keys): Promise<boolean> {
    if (this.#keys === keys && (this.#pending !== undefined || this.#mayTry(COOL_DOWN))) await this.#refresh();
    return this.#keys !== keys;
  }

  #mayTry(pause: number): boolean {
    return performance.now() - this.#triedAt >= pause;
  }

  /** Fetches the keys once for all waiting callers. */
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
      new AuthorizationError({ hop: "keys", url, problem, remedy: "The operator of the authorization server must repair this." });
    if (status !== 200) throw bad(`it answers with status ${status}`);
    const keys = json?.["keys"];
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw bad(`the response is not a set of at most ${MAX_KEYS} keys`);
    const { sound, weaknesses } = judgeKeys(keys);
    const [weakness] = weaknesses.values();
    if (sound.length === 0 && weakness !== undefined) throw bad(`no key of the set can be used: ${weakness}`);
    this.#weaknesses = weaknesses;
    try {
      return createLocalJWKSet({ keys: sound } as unknown as JSONWebKeySet); // the function checks it
    } catch (cause) {
      throw new AuthorizationError({
        hop: "keys",
        url,
        problem: "the response is not a JSON Web Key Set",
        remedy: "Repair it there.",
        cause,
      });
    }
  }
}

/** The keys that may be used, and by name what is wrong with the others. */
function judgeKeys(keys: readonly unknown[]): { readonly sound: readonly unknown[]; readonly weaknesses: ReadonlyMap<unknown, string> } {
  const judged = keys.map((key) => ({ key, weakness: isJsonObject(key) ? weaknessOf(key) : undefined }));
  const weak = judged.flatMap(({ key, weakness }) => (weakness === undefined ? [] : [[(key as JsonObject)["kid"], weakness] as const])); // only objects are judged
  return { sound: judged.filter(({ weakness }) => weakness === undefined).map(({ key }) => key), weaknesses: new Map(weak) };
}
