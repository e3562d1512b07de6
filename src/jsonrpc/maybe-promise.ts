/**
 * A value that may not be there yet: how hot paths stay synchronous where they can.
 *
 * Not a result type of the public API: callers outside Tenon always get a promise.
 */

/** A value now, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether it has to be awaited. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
