/**
 * When a server that could not be reached is tried again.
 *
 * Each set of abilities has a pause of its own: a server may refuse a client for what it declares, and then still serves all others.
 */
import type { Clock } from "../../base/clock.ts";

/** Milliseconds before another attempt after the first failure, and the most. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Most pauses that are kept. */
const MAX_PAUSES = 64;

/** Why there is no other attempt yet. */
export interface Pause {
  /** Of the last attempt. */
  readonly error: Error;
  readonly failures: number;
  /** When the next attempt may be made, on the clock. */
  readonly until: number;
}

export class ConnectPace {
  readonly #clock: Clock;
  readonly #pauses = new Map<string, Pause>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The pause that is not over yet; undefined if an attempt may be made. */
  pauseOf(key: string): Pause | undefined {
    const pause = this.#pauses.get(key);
    return pause !== undefined && this.#clock.now() < pause.until ? pause : undefined;
  }

  failed(key: string, error: Error): void {
    const failures = (this.#pauses.get(key)?.failures ?? 0) + 1;
    this.#pauses.delete(key); // the most recent one is last
    const until = this.#clock.now() + Math.min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE);
    this.#pauses.set(key, { error, failures, until });
    if (this.#pauses.size > MAX_PAUSES) this.#pauses.delete(this.#pauses.keys().next().value!);
  }

  succeeded(key: string): void {
    this.#pauses.delete(key);
  }
}
