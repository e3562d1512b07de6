/**
 * The clock of one simulated process: the time of the world, a wall clock that is wrong by some milliseconds, and timers that die
 * with it.
 */
import type { Clock } from "tenon";
import type { VirtualClock } from "tenon/testing";

/** When worlds begin, in milliseconds since 1970: the same in every run. */
const EPOCH = 1_800_000_000_000;

type Timer = ReturnType<VirtualClock["setTimer"]>;

export class ProcessClock implements Clock {
  /** Milliseconds by which the wall clock is wrong. */
  skew: number;
  readonly #world: VirtualClock;
  readonly #timers = new Set<Timer>();
  #stopped = false;

  constructor(world: VirtualClock, skew: number) {
    this.#world = world;
    this.skew = skew;
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#world.now();
  }

  wallNow(): number {
    return EPOCH + this.#world.now() + this.skew;
  }

  setTimer(ms: number, callback: () => void): Timer {
    if (this.#stopped) return undefined;
    const timer = this.#world.setTimer(ms, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
    return timer;
  }

  clearTimer(timer: Timer): void {
    if (this.#timers.delete(timer)) this.#world.clearTimer(timer);
  }

  /** Resolves after `ms`; never if the process dies before. @throws `signal.reason` when it aborts */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        this.clearTimer(timer);
        reject(signal!.reason as Error);
      };
      const timer = this.setTimer(ms, () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      });
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** The process is dead: no timer fires, and none is set. */
  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) this.#world.clearTimer(timer);
    this.#timers.clear();
  }
}
