/**
 * Cuts off clients that send a body too slowly (row H7): a few bytes a second would hold a request for as long as its time
 * limit allows, and cost the sender nothing.
 *
 * One timer for all bodies that are being read, and none while there is none.
 */
import { type Clock, type Timer, unref } from "../../base/clock.ts";

/** Bytes a second. */
const DEFAULT_RATE = 1_024;
/** Milliseconds between two looks. */
const CHECK_MS = 1_000;
/** Milliseconds a body has before its rate counts. */
const GRACE_MS = 5_000;

/** A body that is being read. */
export interface ArrivingBody {
  /** Bytes that have come. */
  readonly size: number;
  /** Whether its client has gone away. */
  readonly gone: boolean;
  /** It comes too slowly: nothing of it is wanted any more. */
  onSlow(minBodyRate: number): void;
}

export class SlowBodies {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  /** The one that began last: most bodies have come before the next one begins, and cost no more than this. */
  #newest: ArrivingBody | undefined;
  #newestSince = 0;
  /** The others, and since when they are watched. */
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

  /** The body has come. */
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
