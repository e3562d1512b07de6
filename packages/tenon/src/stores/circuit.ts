/**
 * Bounds how many commands wait for an engine, and keeps callers from waiting for one that does not answer. After three commands in a row that ran out of time, calls fail at
 * once; from time to time one is tried. An engine that refuses connections fails at once by itself.
 */
import { waits } from "../base/waits.ts";
import { answered, LateError, StoreUnavailableError } from "./store-error.ts";

/** Commands in a row that must run out of time before calls fail at once. One that is answered begins the count again. */
const FAILURES = 3;
/** The waits before a call is tried, in milliseconds. */
const WAITS = { first: 50, longest: 2_000, jitter: 0.5 };

/** Commands that may wait for the engine. The next one fails before it is sent. */
const MAX_COMMANDS = 2_000;

export class Circuit {
  #waiting = 0;
  /** Commands that ran out of time since the last one that was answered. */
  #failures = 0;
  readonly #waits = waits(WAITS);
  #trialAt = 0;

  /** Runs a command that may take `ms` milliseconds. @throws StoreUnavailableError at once if the engine is not asked now */
  async run<T>(work: () => Promise<T>, ms: number, what: string): Promise<T> {
    if (this.#waiting >= MAX_COMMANDS)
      throw new StoreUnavailableError("not-sent", new Error(`${MAX_COMMANDS} commands wait for the engine already`));
    this.#assertAsked(ms);
    this.#waiting++;
    try {
      const response = await answered(work(), ms, what);
      this.#failures = 0;
      this.#waits.reset();
      return response;
    } catch (error) {
      if ((error as Error).cause instanceof LateError) this.#failed();
      else this.#trialAt = 0; // such as a Redis without the script: the next call says whether the engine responds
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  #assertAsked(ms: number): void {
    if (this.#waits.count === 0) return; // the engine responds
    const now = performance.now();
    if (now < this.#trialAt) throw new StoreUnavailableError("not-sent", new Error("The engine did not respond to the last commands"));
    this.#trialAt = now + ms; // this call is the trial, and there is no other one until it is over
  }

  #failed(): void {
    if (++this.#failures < FAILURES) return;
    this.#trialAt = performance.now() + this.#waits.next();
  }
}
