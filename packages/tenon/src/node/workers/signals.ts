/** The signals that ask a program to end. Nothing listens to them twice: what the program itself does on a signal is its own concern. */

/** The signals of orchestrators, of `kill`, and of Ctrl+C. */
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** The listeners of this folder, which are no part of the program. */
const own = new WeakSet<object>();

/** Calls `end` for each signal. `isHandled`: the program listens to it too. Returns a function that ends this. */
export function onEndSignals(end: (signal: NodeJS.Signals, isHandled: boolean) => void): () => void {
  const listener = (signal: NodeJS.Signals): void => end(signal, isHandled(signal));
  own.add(listener);
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}

export function isHandled(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).some((listener) => !own.has(listener));
}

/** Whether the program listens to one of the signals, and so ends by itself after them. */
export function endsByItself(): boolean {
  return SIGNALS.some(isHandled);
}
