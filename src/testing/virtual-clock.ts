/**
 * Time that passes only when a test says so.
 *
 * Timers fire in order of time, then in the order they were set. Between two of them everything that is ready runs, as
 * it would in an event loop, so that an answer that is there before a deadline is seen before it.
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
  /** In the order they fire. */
  readonly #timers: VirtualTimer[] = [];

  now(): number {
    return this.#now;
  }

  /** Milliseconds since 1970: those at which this clock was made, and what has passed on it. */
  wallNow(): number {
    return this.#epoch + this.#now;
  }

  /** Timers that have neither fired nor been cleared. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Calls `callback` once `ms` milliseconds have passed. @throws RangeError for a delay that no runtime's timer can hold */
  setTimer(ms: number, callback: () => void): Timer {
    if (!(ms >= 0 && ms <= MAX_TIMER_MS)) throw new RangeError(`No timer can wait ${ms} ms`);
    const timer: VirtualTimer = { due: this.#now + ms, callback };
    const after = this.#timers.findIndex(({ due }) => due > timer.due);
    this.#timers.splice(after < 0 ? this.#timers.length : after, 0, timer);
    return timer;
  }

  clearTimer(timer: Timer): void {
    const index = this.#timers.indexOf(timer as VirtualTimer); // only this object's own timers come back
    if (index >= 0) this.#timers.splice(index, 1);
  }

  /** Lets `ms` milliseconds pass. Everything that is ready runs before, between and after the timers. */
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

  /** The process was stalled: `ms` pass, and no timer fires before the next {@link advance}. */
  stall(ms: number): void {
    this.#now += ms;
  }
}

/** Lets everything run that is ready: every microtask, whatever it leads to. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    // Not every runtime has the first; both come after what is ready.
    (globalThis.setImmediate ?? setTimeout)(resolve);
  });
}
