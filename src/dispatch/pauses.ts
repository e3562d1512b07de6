/**
 * Times in which this side keeps the other waiting: a user logs in, or a callback answers a question of the server.
 *
 * The `timeout` of a request does not count them; it starts again when the last of them has ended. `maxTotalTimeout` does.
 * A connection has one such record: what pauses it and what measures time on it share it.
 */
import { MAX_TIMER_MS, type Clock, type Timer } from "../base/clock.ts";

/** @internal The pauses of one connection. */
export class Pauses {
  readonly #clock: Clock;
  #running = 0;
  #lastEnd = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When the last pause ended, on the clock: now while one lasts, `-Infinity` if there was none. */
  get pausedUntil(): number {
    return this.#running > 0 ? this.#clock.now() : this.#lastEnd;
  }

  /** Waits for `work`. The time it takes is a pause. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#running--;
      this.#lastEnd = this.#clock.now();
    }
  }

  /** Calls `onLate` when `ms` have passed since now and since the last pause; never for `Infinity`. Returns a function that stops the timer. */
  startTimer(ms: number, onLate: () => void): () => void {
    if (ms === Infinity) return () => undefined;
    let timer: Timer;
    const check = (): void => {
      const left = this.pausedUntil + ms - this.#clock.now();
      if (left > 0) timer = this.#clock.setTimer(Math.min(left, MAX_TIMER_MS), check);
      else onLate();
    };
    timer = this.#clock.setTimer(Math.min(ms, MAX_TIMER_MS), check);
    return () => this.#clock.clearTimer(timer);
  }
}
