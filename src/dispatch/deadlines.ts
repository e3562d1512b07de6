/**
 * One timer for all deadlines of a connection.
 *
 * A timer per call costs more than the rest of its bookkeeping. Here a call only writes down when it is due; the one
 * timer sleeps until the earliest deadline, and whoever is due then is told. Not precise below a millisecond.
 */
import { MAX_TIMER_MS, type Clock, type Timer } from "./clock.ts";

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

  /** Lets the process end: call it when nothing is left to expire. */
  stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#wakeAt = Infinity;
    this.#confirming = false;
  }

  #arm(deadline: number): void {
    this.#wakeAt = deadline;
    const wait = Math.min(Math.max(deadline - this.#clock.now(), 0), MAX_TIMER_MS);
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
