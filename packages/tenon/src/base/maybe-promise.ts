/**
 * A value that may not be there yet: hot paths stay synchronous where they can.
 *
 * Not a result type of the public API: callers outside Tenon always get a promise.
 */

/** A value now, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  // The first half recognises what Tenon's own code returns, and is much cheaper; the second recognises foreign promises.
  return (
    value instanceof Promise || (typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function")
  );
}

/** Applies `map` to the value: at once if it is there, else when it is. */
export function andThen<T, R>(value: MaybePromise<T>, map: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? value.then(map) : map(value);
}

/** Runs `work`, and returns what one of the functions makes of its end: of its value, or of what it throws or rejects with. */
export function settle<T, R>(work: () => MaybePromise<T>, ended: (value: T) => R, failed: (error: unknown) => R): MaybePromise<R> {
  let value: MaybePromise<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return isPromise(value) ? value.then(ended, failed) : ended(value);
}

/** Returns what `work` returns, or what `failed` returns for the error that `work` throws or rejects with. */
export function attempt<T, R>(work: () => MaybePromise<T>, failed: (error: unknown) => R): MaybePromise<T | R> {
  try {
    const value = work();
    return isPromise(value) ? value.then(undefined, failed) : value;
  } catch (error) {
    return failed(error);
  }
}
