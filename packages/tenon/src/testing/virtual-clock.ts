/**
 * A clock whose time passes only when a test moves it.
 *
 * Timers fire in the order of their times, then in the order they were set. All pending work runs between two timers, as in an event
 * loop, so that a response before a deadline is processed before it.
 */
import { MAX_TIMER_MS, type Clock, type Timer } from "../base/clock.ts";

interface VirtualTimer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #now = 0;
  readonly #epoch: number = Date.now();
  /** In the order in which they fire. */
  readonly #timers: VirtualTimer[] = [];

  now(): number {
    return this.#now;
  }

  /** Milliseconds since 1970: the time at which the clock was made, plus the time that has passed on it. */
  wallNow(): number {
    return this.#epoch + this.#now;
  }

  /** Timers that have neither fired nor been cleared. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Calls `callback` once `ms` milliseconds have passed. @throws RangeError if the delay is longer than a runtime's timer can be */
  setTimer(ms: number, callback: () => void): Timer {
    if (!(ms >= 0 && ms <= MAX_TIMER_MS)) throw new RangeError(`No timer can wait ${ms} ms`);
    const timer: VirtualTimer = { due: this.#now + ms, callback };
    const after = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(after < 0 ? this.#timers.length : after, 0, timer);
    return timer;
  }

  clearTimer(timer: Timer): void {
    const index = this.#timers.indexOf(timer as VirtualTimer); // only timers of this clock are passed
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Lets `ms` milliseconds pass. Pending work runs before, between and after the timers. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let next = this.#timers[0]; next !== undefined && next.due <= end; next = this.#timers[0]) {
      this.#timers.shift();
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await turn();
    }
    this.#now = end;
  }

  /** Simulates a stalled process: `ms` milliseconds pass, and no timer fires before the next {@link advance}. */
  stall(ms: number): void {
    this.#now += ms;
  }
}

/** Runs all pending microtasks, including those that they queue. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    // Not every runtime has `setImmediate`. Both run after pending work.
    (globalThis.setImmediate ?? setTimeout)(resolve);
  });
}
