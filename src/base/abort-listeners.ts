/**
 * Who waits on an `AbortSignal`: one listener of the signal for all of them.
 *
 * A user may give one signal to any number of calls at the same time, and everything on a connection waits for its end.
 * Runtimes take many listeners of one signal for a leak and say so on stderr (b.13-Z3).
 */

export interface AbortListener {
  /** The signal has aborted. Must not throw. */
  handleEvent(): void;
}

class AbortListeners {
  readonly all = new Set<AbortListener>();

  handleEvent(): void {
    for (const listener of this.all) listener.handleEvent();
    this.all.clear();
  }
}

const listenersOf = new WeakMap<AbortSignal, AbortListeners>();

/** Tells `listener` once when the signal aborts; never where it has aborted already. */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) listenersOf.set(signal, (listeners = new AbortListeners()));
  if (listeners.all.size === 0) signal.addEventListener("abort", listeners, { once: true });
  listeners.all.add(listener);
}

export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const listeners = listenersOf.get(signal);
  if (listeners?.all.delete(listener) && listeners.all.size === 0) signal.removeEventListener("abort", listeners);
}

/** The same with a function. Returns how to stop listening. */
export function onAbort(signal: AbortSignal, handleEvent: () => void): () => void {
  const listener = { handleEvent };
  addAbortListener(signal, listener);
  return () => removeAbortListener(signal, listener);
}
