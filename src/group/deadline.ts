/** Time limits and waiting, on the clock of the group. */
import { LinkedAbort } from "../base/abort.ts";
import { MAX_TIMER_MS, type Clock } from "../base/clock.ts";

/** Aborts after a while, or as soon as one of other signals does. */
export class Deadline {
  readonly #abort: LinkedAbort;
  readonly #clock: Clock;
  readonly #timer: unknown;

  /** @param late what the signal aborts with after `ms` milliseconds; `Infinity` is never */
  constructor(clock: Clock, ms: number, late: () => Error, signals: readonly (AbortSignal | undefined)[]) {
    this.#abort = new LinkedAbort(...signals);
    this.#clock = clock;
    this.#timer = ms === Infinity ? undefined : clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => this.#abort.abort(late()));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The work is done: no timer is left, and no listener. */
  clear(): void {
    this.#abort.unlink();
    this.#clock.clearTimer(this.#timer);
  }
}

/** Resolves with `work` or after `ms` milliseconds, whichever is first; never rejects. */
export async function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  if (ms === Infinity) return void (await work.catch(() => undefined));
  let timer: unknown;
  const late = new Promise<void>((resolve) => (timer = clock.setTimer(Math.min(ms, MAX_TIMER_MS), resolve)));
  await Promise.race([work.catch(() => undefined), late]);
  clock.clearTimer(timer);
}
