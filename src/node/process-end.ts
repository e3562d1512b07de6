/**
 * The ways a serving process is told to end: signals, and failures that nobody caught.
 *
 * Installed by `serveStdio` only and removed with it; nothing else in Tenon touches the process.
 */

export interface EndOfProcess {
  /** The first signal, or the first uncaught failure: finish what runs, then end with `exitCode`. */
  readonly onEnd: (reason: string, exitCode: number) => void;
  /** Told of each failure that nobody caught. */
  readonly onError: (error: Error) => void;
}

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;

/** Watches until the function it returns is called. A second signal ends the process at once. */
export function watchProcess({ onEnd, onError }: EndOfProcess): () => void {
  let signalled = false;
  const onSignal = (signal: keyof typeof SIGNALS): void => {
    if (signalled) process.exit(128 + SIGNALS[signal]);
    signalled = true;
    onEnd(`received ${signal}`, 0);
  };
  // Without a listener of its own an unhandled rejection arrives here as well.
  const onUncaught = (error: unknown): void => {
    onError(error instanceof Error ? error : new Error(String(error)));
    onEnd("a failure was not caught", 1);
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("uncaughtException", onUncaught);
  return () => {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("uncaughtException", onUncaught);
  };
}
