/** Time limits on the clock of the group. */
import { LinkedAbort } from "../base/abort.ts";
import { MAX_TIMER_MS, type Clock } from "../base/clock.ts";

export interface DeadlineOptions {
  /** Milliseconds; `Infinity` for no limit. */
  readonly ms: number;
  /** What the signal aborts with after that time. */
  readonly late: () => Error;
  /** Signals that the deadline follows. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Aborts after a while, or as soon as one of other signals does. */
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

  /** The work is done: no timer is left, and no listener. */
  clear(): void {
    this.#abort.unlink();
    this.#clock.clearTimer(this.#timer);
  }
}
