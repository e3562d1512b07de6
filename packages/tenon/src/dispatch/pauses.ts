/**
 * Times in which this process keeps the peer waiting: a user logs in, or a callback answers a question of the server.
 *
 * The `timeout` of a request does not count them; it starts again when the last of them has ended. `maxTotalTimeout` counts them. A
 * connection has one such record, shared by the code that pauses and the code that measures time.
 */
import { MAX_TIMER_MS, type Clock, type Timer } from "../base/clock.ts";

export class Pauses {
  readonly #clock: Clock;
  #running = 0;
  #lastEnd = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** When the last pause ended, on the clock: now during a pause, `-Infinity` if there was none. */
  get pausedUntil(): number {
    return this.#running > 0 ? this.#clock.now() : this.#lastEnd;
  }

  /** Waits for `work`; that time is a pause. */
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
