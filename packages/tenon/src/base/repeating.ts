/** Repeats work while there is a reason for it. Its timer does not keep the process alive, and one that stands still costs nothing. */
import { unref, type Clock, type Timer } from "./clock.ts";

export class Repeating {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #work: () => boolean;
  #timer: Timer | undefined;

  /** @param ms milliseconds before each run @param work returns whether there is a next one */
  constructor(clock: Clock, ms: number, work: () => boolean) {
    this.#clock = clock;
    this.#ms = ms;
    this.#work = work;
  }

  /** Does nothing if it has started. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimer(this.#ms, () => {
      this.#timer = undefined;
      if (this.#work()) this.start();
    });
    unref(this.#timer);
  }

  stop(): void {
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
