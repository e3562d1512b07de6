/**
 * When a server that could not be reached is tried again.
 *
 * Who connects says whose pause it is: a server may refuse one client, and then still serves all others.
 */
import { BoundedMap } from "../base/bounds/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import { waits, type Waits, type WaitsOptions } from "../base/waits.ts";

/** The pauses after failures. */
const PAUSES: WaitsOptions = { first: 250, longest: 30_000 };
/** Most pauses that are kept. */
const MAX_PAUSES = 1_000;

/** Why there is no other attempt yet. */
export interface Pause {
  /** Of the last attempt. */
  readonly error: Error;
  readonly waits: Waits;
  /** When the next attempt may be made, on the clock. */
  readonly until: number;
}

export class ConnectPace {
  readonly #clock: Clock;
  readonly #pauses = new BoundedMap<string, Pause>(MAX_PAUSES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The pause that is not over yet; undefined if an attempt may be made. */
  pauseOf(key: string): Pause | undefined {
    const pause = this.#pauses.get(key);
    return pause !== undefined && this.#clock.now() < pause.until ? pause : undefined;
  }

  failed(key: string, error: Error): void {
    const pauses = this.#pauses.get(key)?.waits ?? waits(PAUSES);
    this.#pauses.set(key, { error, waits: pauses, until: this.#clock.now() + pauses.next() });
  }

  succeeded(key: string): void {
    this.#pauses.delete(key);
  }
}
