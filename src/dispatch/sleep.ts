/** Waiting on a clock. */
import { onAbort } from "../base/abort-listeners.ts";
import type { Clock } from "./clock.ts";

/** Resolves after `ms`. @throws `signal.reason` as soon as it aborts */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = clock.setTimer(ms, () => {
      stop();
      resolve();
    });
    const stop = onAbort(signal, () => {
      clock.clearTimer(timer);
      reject(signal.reason);
    });
  });
}
