/** Waiting for no longer than anybody wants to know. */
import { onAbort } from "../base/abort-listeners.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";

/** What `work` comes to. What it comes to afterwards is nobody's. @throws `signal.reason` as soon as it aborts */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T>;
export function unlessAborted<T>(work: MaybePromise<T>, signal: AbortSignal | undefined): MaybePromise<T>;
export function unlessAborted<T>(work: MaybePromise<T>, signal: AbortSignal | undefined): MaybePromise<T> {
  if (signal === undefined) return work;
  if (!isPromise(work)) {
    signal.throwIfAborted();
    return work;
  }
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const stop = onAbort(signal, () => reject(signal.reason as Error));
    void work.then(resolve, reject).finally(stop);
  });
}
