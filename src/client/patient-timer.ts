/** A time limit of the server's that does not count what this side takes to authorize the request. */
import type { Clock, Timer } from "../dispatch/clock.ts";
import type { Authorization } from "../transport/http-client/authorization.ts";

/** Calls `onLate` unless the function it returns is called within `ms`, counted from when authorization last held things up. */
export function setPatientTimer(clock: Clock, ms: number, authorization: Authorization | undefined, onLate: () => void): () => void {
  let timer: Timer;
  const check = (): void => {
    const left = authorization === undefined ? 0 : authorization.heldUntil() + ms - clock.now();
    if (left > 0) timer = clock.setTimer(left, check);
    else onLate();
  };
  timer = clock.setTimer(ms, check);
  return () => clock.clearTimer(timer);
}
