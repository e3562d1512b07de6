/** Decides when a program that keeps ending is started again, so that it does not restart in a tight loop. */
import { assertAtLeast } from "../../base/number-options.ts";
import { waits } from "../../base/waits.ts";

/** How a program that has ended is started again: after up to half a second, then with growing pauses of up to half a minute. */
export interface RestartOptions {
  /** Most starts within a minute. Beyond it, calls fail at once until the minute is over. Default 5. */
  max?: number;
}

/** Milliseconds in which `max` counts. A program that ran for longer counts as healthy. */
const WINDOW = 60_000;
/** The waits before a start, in milliseconds, at random: many programs of one machine do not start at once. */
const WAITS = { first: 500, longest: 30_000, jitter: 1 };

export class RestartPace {
  readonly #max: number;
  readonly #waits = waits(WAITS);
  /** Times of the starts in the last minute. */
  #starts: number[] = [];
  #lastStart = -Infinity;

  constructor({ max = 5 }: RestartOptions) {
    this.#max = assertAtLeast("restart.max", max, 1);
  }

  /** Milliseconds to wait before the next start. */
  wait(now: number): number {
    if (now - this.#lastStart >= WINDOW) this.#waits.reset();
    return this.#waits.next();
  }

  /** Milliseconds for which it must not be started, because `max` is reached; otherwise 0. */
  blocked(now: number): number {
    this.#starts = this.#starts.filter((start) => now - start < WINDOW);
    return this.#starts.length < this.#max ? 0 : this.#starts[0]! + WINDOW - now;
  }

  started(now: number): void {
    this.#starts.push(now);
    this.#lastStart = now;
  }

  /** The error message of calls while it is blocked. */
  get refusal(): string {
    return `The server keeps ending: limit "restart.max" of ${this.#max} starts a minute exceeded`;
  }
}
