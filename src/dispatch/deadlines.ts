/**
 * One timer for all deadlines of a connection.
 *
 * Setting and clearing a timer costs more than the rest of a call. Here a call only writes down when it is due; the one
 * timer wakes for the earliest deadline, and is left to run out where nothing is due any more. Not precise below a
 * millisecond.
 */
import type { Clock, Timer } from "./clock.ts";

/** Longest sleep in milliseconds: how long a timer with nothing left to do may keep the process from ending. */
const MAX_SLEEP = 250;

/** Something that is due at `deadline` (on the clock's scale; `Infinity` = never). */
export interface Expiring {
  readonly deadline: number;
  expire(): void;
}

export class Deadlines {
  readonly #clock: Clock;
  /** Everything that can expire, live. */
  readonly #entries: () => Iterable<Expiring>;
  #timer: Timer | undefined;
  #wakeAt = Infinity;
  #confirming = false;

  constructor(clock: Clock, entries: () => Iterable<Expiring>) {
    this.#clock = clock;
    this.#entries = entries;
  }

  /** Makes sure the timer is awake by then. */
  watch(deadline: number): void {
    if (deadline >= this.#wakeAt) return;
    this.stop();
    this.#arm(deadline);
  }

  /** The end of the connection: nothing will expire any more. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#wakeAt = Infinity;
    this.#confirming = false;
  }

  #arm(deadline: number): void {
    this.#wakeAt = deadline;
    const wait = Math.min(Math.max(deadline - this.#clock.now(), 0), MAX_SLEEP);
    this.#timer = this.#clock.setTimer(Math.ceil(wait), () => this.#wake());
  }

  #wake(): void {
    this.#timer = undefined;
    this.#wakeAt = Infinity;
    const now = this.#clock.now();
    let next = Infinity;
    let due = false;
    for (const entry of this.#entries()) {
      if (entry.deadline <= now) due = true;
      else if (entry.deadline < next) next = entry.deadline;
    }
    if (due && !this.#confirming) {
      // After a stall of the event loop the answer may be waiting in a socket already: let it be read first.
      this.#confirming = true;
      this.#wakeAt = now;
      this.#timer = this.#clock.setTimer(0, () => this.#wake());
      return;
    }
    this.#confirming = false;
    if (due) for (const entry of [...this.#entries()]) if (entry.deadline <= now) entry.expire();
    // Telling them may have armed the timer anew.
    if (next < this.#wakeAt) this.watch(next);
  }
}
