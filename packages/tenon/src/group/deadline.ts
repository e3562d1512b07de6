/** Time limits on the clock of the group. */
import { LinkedAbort } from "../base/abort.ts";
import { MAX_TIMER_MS, type Clock } from "../base/clock.ts";

export interface DeadlineOptions {
  /** Milliseconds; `Infinity` for no limit. */
  readonly ms: number;
  /** Makes the reason of the abort after that time. */
  readonly late: () => Error;
  /** Signals that the deadline follows. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Aborts after a time, or when one of the given signals aborts. */
export class Deadline {
  readonly #abort: LinkedAbort;
  readonly #clock: Clock;
  readonly #timer: unknown;

  constructor(clock: Clock, { ms, late, signals }: DeadlineOptions) {
    this.#abort = new LinkedAbort(...signals);
    this.#clock = clock;
    this.#timer = ms === Infinity ? undefined : clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => this.#abort.abort(late()));
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Removes the timer and all listeners. Call it when the work is done. */
  clear(): void {
    this.#abort.unlink();
    this.#clock.clearTimer(this.#timer);
  }
}
