/**
 * One timer for all deadlines of a connection.
 *
 * Setting and clearing a timer costs more than the rest of a call. Here a call only records its deadline; one timer wakes for the
 * earliest deadline, and runs out unused if no deadline is left. Not precise below a millisecond. A timer that fires seconds late shows that
 * the event loop of the process did not run, which is reported once.
 */
import type { Clock, Timer } from "../base/clock.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";

/** Longest sleep in milliseconds: how long an unused timer may keep the process from ending. */
const MAX_SLEEP = 250;

/** Milliseconds that a timer must be late. A busy machine delays timers by less. */
const STALL = 5_000;

/** When the last stall of each clock ended. One stall delays the timers of all connections, and the first of them reports it. */
const lastEnds = new WeakMap<Clock, number>();

/** An entry that expires at `deadline` (on the clock's scale; `Infinity` = never). */
export interface Expiring {
  readonly deadline: number;
  expire(): void;
}

/** An entry that an HTTP endpoint watches: most requests have their response before they are watched. */
export interface Watched extends Expiring {
  /** Whether it is among the entries whose deadlines are watched. Set by the endpoint only. */
  isWatched: boolean;
}

export class Deadlines {
  readonly #clock: Clock;
  /** All entries that can expire, read each time. */
  readonly #entries: () => Iterable<Expiring>;
  readonly #report: (error: unknown) => void;
  #timer: Timer | undefined;
  #wakeAt = Infinity;
  /** When the timer fires, unless the event loop stalls. */
  #due = Infinity;
  #confirming = false;

  /** @param report called if the event loop did not run for seconds */
  constructor(clock: Clock, entries: () => Iterable<Expiring>, report: (error: unknown) => void) {
    this.#clock = clock;
    this.#entries = entries;
    this.#report = report;
  }

  /** Makes sure that the timer wakes by then. */
  watch(deadline: number): void {
    if (deadline >= this.#wakeAt) return;
    this.stop();
    this.#wakeAt = deadline;
    const now = this.#clock.now();
    this.#sleep(now, Math.min(Math.max(deadline - now, 0), MAX_SLEEP));
  }

  stop(): void {
    if (this.#timer === undefined) return;
    this.#clock.clearTimer(this.#timer);
    this.#rest();
  }

  /** Records that no deadline is watched and no timer runs. */
  #rest(): void {
    this.#timer = undefined;
    this.#wakeAt = Infinity;
    this.#confirming = false;
  }

  #sleep(now: number, ms: number): void {
    this.#due = now + ms;
    this.#timer = this.#clock.setTimer(Math.ceil(ms), () => this.#wake());
  }

  #wake(): void {
    const now = this.#clock.now();
    reportStall(this.#clock, this.#due, this.#report);
    const due: Expiring[] = [];
    let next = Infinity;
    for (const entry of this.#entries()) {
      if (entry.deadline <= now) due.push(entry);
      else next = Math.min(next, entry.deadline);
    }
    if (due.length > 0 && !this.#confirming) {
      // After a stall of the event loop the response may already be in a socket: let it be read first.
      this.#confirming = true;
      this.#wakeAt = now;
      return this.#sleep(now, 0);
    }
    this.#rest();
    for (const entry of due) {
      // The expiry of one entry may extend another.
      if (entry.deadline <= now) entry.expire();
      else next = Math.min(next, entry.deadline);
    }
    this.watch(next);
  }
}

/** Reports a stall if a timer that was due at `due` fires only now. */
function reportStall(clock: Clock, due: number, report: (error: unknown) => void): void {
  const now = clock.now();
  const stalledMs = Math.round(now - due);
  if (stalledMs < STALL || due < (lastEnds.get(clock) ?? -Infinity)) return;
  lastEnds.set(clock, now);
  const message = `The event loop did not run for ${stalledMs} ms: code of this process blocked it, or the process was suspended`;
  report(new McpError(ErrorCode.InternalError, message, { stalledMs }));
}
