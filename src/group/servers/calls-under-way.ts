/** Counts the pending calls on one server. */
import { finishesWithin, type Clock } from "../../base/clock.ts";

export class CallsUnderWay {
  #count = 0;
  #idle: (() => void) | undefined;

  async track<T>(call: () => Promise<T>): Promise<T> {
    this.#count++;
    try {
      return await call();
    } finally {
      if (--this.#count === 0) this.#idle?.();
    }
  }

  /** Resolves when no call is pending, or after `ms` milliseconds. */
  async end(clock: Clock, ms: number): Promise<void> {
    if (ms > 0 && this.#count > 0) await finishesWithin(clock, ms, new Promise<void>((resolve) => (this.#idle = resolve)));
  }
}
