/**
 * Refuses bodies that arrive too slowly. Otherwise a client could hold a request for as long as its time limit allows, at
 * no cost.
 *
 * One timer serves all bodies that are being read, and it runs only while there are some.
 */
import { type Clock, type Timer, unref } from "../../base/clock.ts";

/** Bytes a second. */
const DEFAULT_RATE = 1_024;
/** Milliseconds between two checks. */
const CHECK_MS = 1_000;
/** Milliseconds before the rate of a body counts. */
const GRACE_MS = 5_000;

export interface ArrivingBody {
  /** Bytes that have arrived. */
  readonly size: number;
  readonly gone: boolean;
  onSlow(minBodyRate: number): void;
}

export class SlowBodies {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  /** The newest body. Most bodies end before the next one begins, so they never enter the map. */
  #newest: ArrivingBody | undefined;
  #newestSince = 0;
  /** The other bodies, and when they began. */
  readonly #since = new Map<ArrivingBody, number>();
  #timer: Timer | undefined;

  /** @param bytesPerSecond 0 for no minimum */
  constructor(clock: Clock, bytesPerSecond: number = DEFAULT_RATE) {
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
  }

  add(body: ArrivingBody): void {
    if (this.#bytesPerSecond === 0) return;
    this.#keepNewest();
    this.#newest = body;
    this.#newestSince = this.#clock.now();
    if (this.#timer === undefined) this.#arm();
  }

  /** Stops watching a body that has arrived. */
  delete(body: ArrivingBody): void {
    if (this.#newest === body) this.#newest = undefined;
    else this.#since.delete(body);
  }

  #keepNewest(): void {
    if (this.#newest !== undefined) this.#since.set(this.#newest, this.#newestSince);
    this.#newest = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(CHECK_MS, () => {
      this.#timer = undefined;
      this.#check();
      if (this.#since.size > 0) this.#arm();
    });
    unref(this.#timer);
  }

  #check(): void {
    const now = this.#clock.now();
    this.#keepNewest();
    for (const [body, since] of this.#since) {
      const ms = now - since;
      const fast = ms <= GRACE_MS || body.size >= (ms / 1000) * this.#bytesPerSecond;
      if (fast && !body.gone) continue;
      this.#since.delete(body);
      if (!body.gone) body.onSlow(this.#bytesPerSecond);
    }
  }
}
