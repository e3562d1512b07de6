/** Waiting for no longer than anybody wants to know. */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";

/** What `work` comes to. What it comes to afterwards is nobody's. @throws `signal.reason` as soon as it aborts */
export function unlessAborted<T>(work: MaybePromise<T>, signal: AbortSignal | undefined): MaybePromise<T> {
  signal?.throwIfAborted();
  if (!isPromise(work) || signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
