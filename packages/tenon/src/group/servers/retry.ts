/**
 * Decides when a failed server is tried again: soon at first, then with growing pauses. After too many failures in a row
 * the circuit is open, and one attempt is made at a time.
 */
import type { Clock } from "../../base/clock.ts";
import { Backoff, STEADY } from "../../client/http/session/resumption.ts";

/** Milliseconds before a broken server is tried again. Up to a fifth is added at random, so that groups do not all reconnect at once. */
const COOL_DOWN = 30_000;

export class Retry {
  readonly #clock: Clock;
  #backoff = new Backoff();
  #tripped = false;
  #connectedAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  connected(): void {
    this.#connectedAt = this.#clock.now();
    this.#tripped = false;
  }

  /** Records that the connection is gone. After a stable connection the pauses begin short again. */
  lost(): void {
    if (this.#clock.now() - this.#connectedAt >= STEADY) this.reset();
    this.#connectedAt = Infinity;
  }

  /** Opens the circuit, because too many calls failed. */
  trip(): void {
    this.#tripped = true;
  }

  reset(): void {
    this.#backoff = new Backoff();
    this.#tripped = false;
  }

  /** Milliseconds until the next attempt, and whether the circuit is open until then. */
  next(): { readonly wait: number; readonly broken: boolean } {
    const wait = this.#tripped ? undefined : this.#backoff.next();
    if (wait !== undefined) return { wait, broken: false };
    return { wait: COOL_DOWN * (1 + Math.random() / 5), broken: true };
  }
}
