/** Waiting on the clock of a connection. */
import type { Clock } from "../dispatch/clock.ts";

/** Resolves after `ms`. @throws `signal.reason` as soon as it aborts */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clock.clearTimer(timer);
      reject(signal.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
