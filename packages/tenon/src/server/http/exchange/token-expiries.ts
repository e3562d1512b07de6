/**
 * Ends long-lived streams when the token that opened them expires, so that clients must prove now and then that they may listen. One
 * timer for all streams.
 */
import { type Clock, type Timer, unref, wallNow } from "../../../base/clock.ts";

/** Streams that end within the same second end together. */
const STEP_MS = 1_000;
/** The longest timer. Later times are checked again when it fires. */
const MAX_SLEEP_MS = 24 * 60 * 60_000;

interface Ending {
  readonly due: number;
  readonly end: () => void;
}

export class TokenExpiries {
  readonly #clock: Clock;
  readonly #endings = new Set<Ending>();
  #timer: Timer | undefined;
  #wakeAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `end` at a time in milliseconds since 1970. Returns a function that cancels this. */
  add(until: number, end: () => void): () => void {
    const ending = { due: this.#clock.now() + Math.max(0, until - wallNow(this.#clock)), end };
    this.#endings.add(ending);
    this.#wake(ending.due);
    return () => {
      this.#endings.delete(ending);
      if (this.#endings.size === 0) this.stop();
    };
  }

  stop(): void {
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#wakeAt = Infinity;
  }

  #wake(due: number): void {
    if (due >= this.#wakeAt) return;
    this.stop();
    this.#wakeAt = due;
    const wait = Math.max(0, due - this.#clock.now());
    this.#timer = this.#clock.setTimer(Math.min(wait + STEP_MS, MAX_SLEEP_MS), () => this.#end());
    unref(this.#timer);
  }

  #end(): void {
    this.stop();
    const now = this.#clock.now();
    let next = Infinity;
    for (const ending of [...this.#endings]) {
      if (ending.due > now) next = Math.min(next, ending.due);
      else if (this.#endings.delete(ending)) ending.end();
    }
    if (next < Infinity) this.#wake(next);
  }
}
