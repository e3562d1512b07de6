/**
 * What is loaded with its first use: a promise until it is there, from then on at once.
 *
 * Whoever comes while it is being loaded waits for the same; where that fails, the next one tries again.
 */
import { isPromise, type MaybePromise } from "./maybe-promise.ts";

export class Late<T> {
  /** It, once it is there. */
  loaded: T | undefined;
  readonly #load: () => MaybePromise<T>;
  #loading: Promise<T> | undefined;

  /** @param load called with the first use, and again after a failure */
  constructor(load: () => MaybePromise<T>) {
    this.#load = load;
  }

  /** @throws (or rejects with) what loading failed with */
  get(): MaybePromise<T> {
    return this.loaded ?? this.#loading ?? this.#begin();
  }

  #begin(): MaybePromise<T> {
    const value = this.#load();
    if (!isPromise(value)) return (this.loaded = value);
    // Whoever waits is told right after this, before anybody can come who finds it there: their order holds.
    value.then(
      (loaded) => (this.loaded = loaded),
      () => (this.#loading = undefined),
    );
    return (this.#loading = value);
  }
}
