/**
 * When a server that failed is tried again: soon at first, then later and later, and after too many failures in a row
 * only now and then (the circuit is open, and each attempt is its half-open probe).
 */
import type { Clock } from "../../base/clock.ts";
import { Backoff } from "../../base/backoff.ts";

/** Milliseconds a broken server is left alone. Up to a fifth more, so that not all groups come back at once. */
const COOL_DOWN = 30_000;
/** A connection that held this long, in ms, did not flap. */
const STEADY = 10_000;

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

  /** The connection is gone. What held for a while and goes down begins with short waits again. */
  lost(): void {
    if (this.#clock.now() - this.#connectedAt >= STEADY) this.reset();
    this.#connectedAt = Infinity;
  }

  /** Too many calls failed: no quick attempts. */
  trip(): void {
    this.#tripped = true;
  }

  /** As if nothing had gone wrong yet. */
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
