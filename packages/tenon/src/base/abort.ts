/**
 * Waiting on an `AbortSignal`, in two ways: listen to a signal, or make a signal that follows others.
 *
 * `onAbort` and `unlessAborted` listen. However many listeners a signal has here, the runtime sees one: a user may give one signal
 * to any number of calls at the same time, and runtimes report many listeners on one signal as a leak on stderr. {@link
 * LinkedAbort} is the controller that follows.
 */
import { LazyAbort, type AbortListener } from "./lazy-abort.ts";
import { isPromise, type MaybePromise } from "./maybe-promise.ts";

export type { AbortListener } from "./lazy-abort.ts";

export type Abortable = AbortSignal | LazyAbort;

class AbortListeners {
  readonly all = new Set<AbortListener>();

  handleEvent(): void {
    for (const listener of this.all) listener.handleEvent();
    this.all.clear();
  }
}

export function signalOf(abort: Abortable): AbortSignal {
  return abort instanceof LazyAbort ? abort.signal : abort;
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/** Calls `listener` once when the signal aborts, and never if it has aborted already. An object needs no closure. */
export function addAbortListener(signal: Abortable, listener: AbortListener): void {
  if (signal instanceof LazyAbort) return signal.addListener(listener);
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) listenersOf.set(signal, (listeners = new AbortListeners()));
  if (listeners.all.size === 0) signal.addEventListener("abort", listeners, { once: true });
  listeners.all.add(listener);
}

export function removeAbortListener(signal: Abortable, listener: AbortListener): void {
  if (signal instanceof LazyAbort) return signal.removeListener(listener);
  const listeners = listenersOf.get(signal);
  if (listeners?.all.delete(listener) && listeners.all.size === 0) signal.removeEventListener("abort", listeners);
}

/** The same with a function. Returns a function that stops listening. */
export function onAbort(signal: Abortable, handleEvent: () => void): () => void {
  const listener = { handleEvent };
  addAbortListener(signal, listener);
  return () => removeAbortListener(signal, listener);
}

/** Settles as `work` does, unless the signal aborts first: then the outcome of `work` is ignored. @throws `signal.reason` */
export function unlessAborted<T>(work: Promise<T>, signal: Abortable | undefined): Promise<T>;
export function unlessAborted<T>(work: MaybePromise<T>, signal: Abortable | undefined): MaybePromise<T>;
export function unlessAborted<T>(work: MaybePromise<T>, signal: Abortable | undefined): MaybePromise<T> {
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

/**
 * An `AbortController` that aborts with other signals too, until it is unlinked.
 *
 * `AbortSignal.any` does the same, but up to Node 22 the signal that it returns stays in memory as long as one of its sources does,
 * for example the signal of a connection: up to 3 KB each, plus what its listeners reference.
 */
export class LinkedAbort extends LazyAbort {
  readonly #links: (() => void)[] = [];

  constructor(...signals: readonly (AbortSignal | undefined)[]) {
    super();
    for (const signal of signals) if (signal !== undefined) this.#link(signal);
  }

  #link(signal: AbortSignal): void {
    if (signal.aborted) this.abort(signal.reason);
    else if (!this.aborted) this.#links.push(onAbort(signal, () => this.abort(signal.reason)));
  }

  override abort(reason?: unknown): void {
    this.unlink();
    super.abort(reason);
  }

  /** Stops following the other signals. Call it when the work that the signal was made for is over. */
  unlink(): void {
    for (const leave of this.#links.splice(0)) leave();
  }
}

/** Names of the errors that a runtime or a library rejects with when its signal aborts. */
const ABORT_NAMES: ReadonlySet<unknown> = new Set(["AbortError", "TimeoutError", "CanceledError"]);
const MAX_CAUSES = 5;

/**
 * Whether an error only says that `signal` has aborted: it is the reason, has the name of an abort, or was caused by such an error. An
 * error that happens to come after the abort, such as a bug in the code that cleans up, is not.
 */
export function isAbortFailure(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  let each = error;
  for (let depth = 0; depth <= MAX_CAUSES; depth++) {
    if (each === signal.reason) return true;
    if (typeof each !== "object" || each === null) return false;
    const { name, cause } = each as { readonly name?: unknown; readonly cause?: unknown }; // any value may be thrown
    if (ABORT_NAMES.has(name)) return true;
    each = cause;
  }
  return false;
}
