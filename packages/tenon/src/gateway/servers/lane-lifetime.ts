/**
 * How long a lane stays open: until nothing used it for a time, or, while it drains, until its calls have ended.
 *
 * Listeners keep a lane open, but not one that drains: their clients listen to the server that took its place.
 */
import { unref, type Clock, type Timer } from "../../base/clock.ts";
import type { McpError } from "../../jsonrpc/mcp-error.ts";

/** Milliseconds that a lane for one call waits for the call. */
const UNUSED_TIMEOUT = 1_000;
/** Milliseconds that a lane that drains waits for a call that was on its way to it. */
const DRAINED_AFTER = 100;

interface LivingLane {
  readonly clock: Clock;
  readonly idleTimeout: number;
  isClosed(): boolean;
  isForOneCall(): boolean;
  /** Whether something listens to it. */
  isHeard(): boolean;
  /** Whether a call is about to run, or a task may run. */
  isExpected(): boolean;
  close(): void;
  report(error: unknown): void;
}

export class LaneLifetime {
  readonly #lane: LivingLane;
  #running = 0;
  #wasUsed = false;
  #restedAt = 0;
  /** Looks whether the lane is still needed; undefined while nothing is to be looked at. */
  #idle: Timer;
  /** When that is, on the clock. */
  #dueAt = Infinity;
  /** Closes the lane although calls run; undefined while it does not drain. */
  #draining: Timer;
  #late: McpError | undefined;

  constructor(lane: LivingLane) {
    this.#lane = lane;
  }

  /** Requests that wait for the connection, or for the server's result. */
  get running(): number {
    return this.#running;
  }

  get isIdle(): boolean {
    return this.#running === 0 && !this.#lane.isHeard();
  }

  /** When something used it last, or listened to it, on the clock. */
  get restedAt(): number {
    return this.#restedAt;
  }

  get isDraining(): boolean {
    return this.#draining !== undefined;
  }

  /** What calls fail with that did not end while the lane drained; undefined before its time was over. */
  get late(): McpError | undefined {
    return this.#late;
  }

  begin(): void {
    this.#running++;
    this.#wasUsed = true;
  }

  end(): void {
    this.#running--;
    this.rest();
  }

  /** Closes the lane later if nothing uses it until then. A call costs no timer: the timer that runs asks again when it fires. */
  rest(): void {
    this.#restedAt = this.#lane.clock.now();
    if (this.#restedAt + this.#restTime < this.#dueAt) this.#lookLater();
  }

  #lookLater(): void {
    const { clock } = this.#lane;
    clock.clearTimer(this.#idle);
    if (this.#lane.isClosed()) return;
    this.#dueAt = this.#restedAt + this.#restTime;
    this.#idle = clock.setTimer(Math.max(0, this.#dueAt - clock.now()), () => this.#look());
    unref(this.#idle);
  }

  /** Closes the lane if nothing has used it for its time. While something uses it there is no timer: the end of that calls `rest`. */
  #look(): void {
    this.#dueAt = Infinity;
    if (this.#lane.isClosed() || this.#isNeeded) return;
    if (this.#restedAt + this.#restTime > this.#lane.clock.now()) this.#lookLater();
    else this.#lane.close();
  }

  get #isNeeded(): boolean {
    return this.isDraining ? this.#running > 0 || this.#lane.isExpected() : !this.isIdle;
  }

  get #restTime(): number {
    if (this.isDraining) return DRAINED_AFTER;
    if (!this.#lane.isForOneCall()) return this.#lane.idleTimeout;
    return this.#wasUsed ? 0 : UNUSED_TIMEOUT;
  }

  /** Closes the lane when its calls have ended, or after `ms` milliseconds. @param late what calls fail with that run then */
  drain(ms: number, late: McpError): void {
    this.#draining = this.#lane.clock.setTimer(ms, () => {
      if (this.#running > 0) {
        this.#late = late;
        this.#lane.report(late);
      }
      this.#lane.close();
    });
    unref(this.#draining);
    this.#dueAt = Infinity; // it rests for another time now
    this.rest();
  }

  /** The lane is closed. */
  stop(): void {
    this.#lane.clock.clearTimer(this.#idle);
    this.#lane.clock.clearTimer(this.#draining);
  }
}
