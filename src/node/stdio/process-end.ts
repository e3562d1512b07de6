/**
 * The ways a serving process is told to end: signals, and failures that nobody caught.
 *
 * Installed by `serveStdio` only and removed with it; nothing else in Tenon listens to the process.
 */

/** SIGHUP comes when the terminal is closed, also on Windows, where the process is ended a few seconds later whatever it does. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const NAMES = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]; // as written above

/**
 * Watches until the function it returns is called.
 *
 * The first signal calls `stop`; a second one ends the process at once. A failure that nobody caught is reported and
 * calls `stop` too; the exit code is 1 then.
 */
export function watchProcess(stop: (reason: string) => void, onError: (error: Error) => void): () => void {
  let signalled = false;
  const onSignal = (signal: keyof typeof SIGNALS): void => {
    if (signalled) process.exit(128 + SIGNALS[signal]);
    signalled = true;
    stop(`received ${signal}`);
  };
  // An unhandled rejection arrives here as well, unless somebody listens for those.
  const onUncaught = (error: unknown): void => {
    process.exitCode = 1;
    onError(error instanceof Error ? error : new Error(String(error)));
    stop("a failure was not caught");
  };
  for (const name of NAMES) process.on(name, onSignal);
  process.on("uncaughtException", onUncaught);
  // Where nobody reads stderr any more, reporting that would fail again, without end.
  process.stderr.on("error", ignore);
  return () => {
    for (const name of NAMES) process.off(name, onSignal);
    process.off("uncaughtException", onUncaught);
    process.stderr.off("error", ignore);
  };
}

function ignore(): void {}
