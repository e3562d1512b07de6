/** Time as every layer sees it: an injectable clock, so that tests can run on virtual time, and helpers for timers. */
import { onAbort } from "./abort.ts";

/** A pending timer, as `setTimeout` returned it. */
export type Timer = unknown;

/**
 * The clock that timeouts use; every feature with timeouts takes one as an option. Default everywhere: the system's clock.
 * `VirtualClock` is for tests.
 */
export interface Clock {
  /** Monotonic milliseconds; never goes back when the wall clock does. */
  now(): number;
  /** Calls `callback` once, `ms` milliseconds from now. Delays above 2 147 483 647 may fire earlier. */
  setTimer(ms: number, callback: () => void): Timer;
  /** Cancels a timer that `setTimer` returned. A timer that has fired, or `undefined`, is ignored. */
  clearTimer(timer: Timer): void;
  /** Milliseconds since 1970, for times that leave the process: when a state, a lease or a token expires. Default `Date.now()`. */
  wallNow?(): number;
}

/** Longest delay a timer can hold: larger ones fire at once on every runtime. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: (): number => performance.now(),
  setTimer: (ms: number, callback: () => void): Timer => setTimeout(callback, Math.min(ms, MAX_TIMER_MS)),
  clearTimer: (timer: Timer): void => clearTimeout(timer as ReturnType<typeof setTimeout>), // Only this object's own timers come back.
};

/** Milliseconds since 1970 on `clock`. */
export function wallNow(clock: Clock): number {
  return clock.wallNow?.() ?? Date.now();
}

/** Resolves after `ms`. @throws `signal.reason` as soon as it aborts */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = clock.setTimer(ms, () => {
      stop();
      resolve();
    });
    const stop = onAbort(signal, () => {
      clock.clearTimer(timer);
      reject(signal.reason);
    });
  });
}

/** Waits for `work`, but not longer than `ms` milliseconds. Resolves with whether it succeeded in time; never rejects. */
export async function finishesWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const succeeded = work.then(
    () => true,
    () => false,
  );
  if (ms === Infinity) return succeeded;
  let timer: Timer;
  const late = new Promise<boolean>((resolve) => {
    timer = clock.setTimer(Math.min(ms, MAX_TIMER_MS), () => resolve(false));
  });
  return Promise.race([succeeded, late]).finally(() => clock.clearTimer(timer));
}

/** Lets the process end although the timer is pending. Only Node keeps a process alive for a timer; elsewhere this does nothing. */
export function unref(timer: Timer): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") timer.unref();
}

/** Repeats work while there is a reason for it. Its timer does not keep the process alive, and one that stands still costs nothing. */
export class Repeating {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #work: () => boolean;
  #timer: Timer | undefined;

  /** @param ms milliseconds before each run @param work returns whether there is a next one */
  constructor(clock: Clock, ms: number, work: () => boolean) {
    this.#clock = clock;
    this.#ms = ms;
    this.#work = work;
  }

  /** Does nothing if it has started. */
  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimer(this.#ms, () => {
      this.#timer = undefined;
      if (this.#work()) this.start();
    });
    unref(this.#timer);
  }

  stop(): void {
    this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }
}
