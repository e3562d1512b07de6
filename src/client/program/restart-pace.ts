/** How fast a program that keeps ending is started again (row S24). */

import { assertAtLeast } from "../../dispatch/limits.ts";

/** How a program is started again that has ended: after up to half a second, then later and later, up to half a minute. */
export interface RestartOptions {
  /** Starts within a minute. Beyond, calls fail at once until the minute is over. Default 5. */
  max?: number;
}

/** Milliseconds in which `max` counts. What ran for longer was well. */
const WINDOW = 60_000;
const FIRST_WAIT = 500;
const MAX_WAIT = 30_000;

export class RestartPace {
  readonly #max: number;
  #failures = 0;
  /** When it was started in the last minute. */
  #starts: number[] = [];
  #lastStart = -Infinity;

  /** @throws RangeError */
  constructor({ max = 5 }: RestartOptions) {
    this.#max = assertAtLeast("restart.max", max, 1);
  }

  /** Milliseconds until it should be started, with full jitter. */
  wait(now: number): number {
    if (now - this.#lastStart >= WINDOW) this.#failures = 0;
    return Math.random() * Math.min(FIRST_WAIT * 2 ** this.#failures++, MAX_WAIT);
  }

  /** Milliseconds in which it must not be started, because it was often enough; 0 if it may. */
  blocked(now: number): number {
    this.#starts = this.#starts.filter((start) => now - start < WINDOW);
    return this.#starts.length < this.#max ? 0 : this.#starts[0]! + WINDOW - now;
  }

  started(now: number): void {
    this.#starts.push(now);
    this.#lastStart = now;
  }

  /** Why calls fail while it is blocked. */
  get refusal(): string {
    return `The server keeps ending: limit "restart.max" of ${this.#max} starts a minute exceeded`;
  }
}
