/**
 * Watches how a serving process has to end: signals, and uncaught errors.
 *
 * Only `serveStdio` installs it, and removes it at its end. Nothing else in Tenon listens to the process.
 */

/** SIGHUP arrives when the terminal is closed. Windows ends the process a few seconds later in any case. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const NAMES = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]; // as written above

/**
 * Watches the process. Returns a function that stops watching.
 *
 * The first signal calls `stop`; a second one ends the process at once. An uncaught error is reported and calls `stop` too; then
 * the exit code is 1.
 */
export function watchProcess(stop: (reason: string) => void, onError: (error: Error) => void): () => void {
  let signalled = false;
  const onSignal = (signal: keyof typeof SIGNALS): void => {
    if (signalled) process.exit(128 + SIGNALS[signal]);
    signalled = true;
    stop(`received ${signal}`);
  };
  // An unhandled rejection arrives here as well, unless the program listens for rejections.
  const onUncaught = (error: unknown): void => {
    process.exitCode = 1;
    onError(error instanceof Error ? error : new Error(String(error)));
    stop("a failure was not caught");
  };
  for (const name of NAMES) process.on(name, onSignal);
  process.on("uncaughtException", onUncaught);
  // If stderr is closed, reporting its error would fail again without end.
  process.stderr.on("error", ignore);
  return () => {
    for (const name of NAMES) process.off(name, onSignal);
    process.off("uncaughtException", onUncaught);
    process.stderr.off("error", ignore);
  };
}

function ignore(): void {}
