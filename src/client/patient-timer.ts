/** A time limit of the server's that does not count what this side takes to authorize the request. */
import { MAX_TIMER_MS, type Clock, type Timer } from "../base/clock.ts";

/**
 * Calls `onLate` unless the function it returns is called within `ms`, counted from when this side last held things up.
 * `Infinity` is never.
 */
export function setPatientTimer(clock: Clock, ms: number, heldUntil: (() => number) | undefined, onLate: () => void): () => void {
  if (ms === Infinity) return () => undefined;
  let timer: Timer;
  const check = (): void => {
    const left = heldUntil === undefined ? 0 : heldUntil() + ms - clock.now();
    if (left > 0) timer = clock.setTimer(Math.min(left, MAX_TIMER_MS), check);
    else onLate();
  };
  timer = clock.setTimer(Math.min(ms, MAX_TIMER_MS), check);
  return () => clock.clearTimer(timer);
}
