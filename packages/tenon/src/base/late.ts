/**
 * A value that is loaded when it is first used: a promise until it is loaded, the value itself afterwards.
 *
 * Callers that come during loading wait for the same promise. If loading fails, the next caller tries again.
 */
import { isPromise, type MaybePromise } from "./maybe-promise.ts";

export class Late<T> {
  loaded: T | undefined;
  readonly #load: () => MaybePromise<T>;
  #loading: Promise<T> | undefined;

  /** @param load called at the first use, and again after a failure */
  constructor(load: () => MaybePromise<T>) {
    this.#load = load;
  }

  /** Returns the value, or a promise of it. @throws (or rejects with) the error that loading failed with */
  get(): MaybePromise<T> {
    return this.loaded ?? this.#loading ?? this.#begin();
  }

  #begin(): MaybePromise<T> {
    const value = this.#load();
    if (!isPromise(value)) return (this.loaded = value);
    // Waiting callers are resolved right after this, before a later caller can find the loaded value: the order of calls is kept.
    value.then(
      (loaded) => (this.loaded = loaded),
      () => (this.#loading = undefined),
    );
    return (this.#loading = value);
  }
}
