/**
 * The clock of a store that several processes share.
 *
 * Clocks of machines differ, by hours if one is set up wrongly. So a time that one process writes and another one compares is read from the
 * store's clock, if the store tells it. Between two questions the monotonic clock of the process goes on.
 */
import { wallNow, type Clock } from "./clock.ts";
import { attempt, isPromise, type MaybePromise } from "./maybe-promise.ts";

export interface TimedStore {
  /** Milliseconds since 1970 on the clock of the store. */
  now?(): MaybePromise<number>;
}

/** Milliseconds for which a response of the store is believed, and after a failure until it is asked again. */
const [FRESH_MS, RETRY_MS] = [60_000, 1_000];

export class StoreClock {
  readonly #clock: Clock;
  readonly #store: TimedStore;
  /** The time of the store minus the monotonic time of this process; undefined until the store has told it. */
  #ahead: number | undefined;
  #askAt = -Infinity;
  #asking: Promise<void> | undefined;

  constructor(clock: Clock, store: TimedStore) {
    this.#clock = clock;
    this.#store = store;
  }

  /** Whole milliseconds since 1970, as far as this process knows the store's clock: by its own clock until `refresh` has resolved once. */
  now(): number {
    return this.#ahead === undefined ? wallNow(this.#clock) : Math.floor(this.#clock.now() + this.#ahead);
  }

  /** Asks the store, once a minute. Never fails: a store that is away is not asked for a second, and the time goes on as it was known. */
  refresh(): MaybePromise<void> {
    if (this.#store.now === undefined || this.#clock.now() < this.#askAt) return;
    return this.#asking ?? this.#ask();
  }

  #ask(): MaybePromise<void> {
    const before = this.#clock.now();
    const told = (time: number | undefined): void => {
      const after = this.#clock.now();
      this.#asking = undefined;
      this.#askAt = after + (time === undefined ? RETRY_MS : FRESH_MS);
      if (time !== undefined) this.#ahead = time - (before + after) / 2;
    };
    const time = attempt<number, undefined>(
      () => this.#store.now!(),
      () => undefined,
    );
    return isPromise(time) ? (this.#asking = time.then(told)) : told(time);
  }
}
