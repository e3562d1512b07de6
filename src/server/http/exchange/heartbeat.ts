/** One timer for all that clients are reading: keeps quiet streams alive, and cuts the clients that do not read (H10, H12). */
import { type Clock, type Timer, unref } from "../../../base/clock.ts";

/** Something that a client reads: a stream, or answers that wait for it. */
export interface HeartbeatTarget {
  /** `ms` milliseconds have passed. */
  beat(ms: number): void;
  /** Ends it at once. */
  cut(): void;
}

export class Heartbeat {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #targets = new Set<HeartbeatTarget>();
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  add(target: HeartbeatTarget): void {
    this.#targets.add(target);
    if (this.#timer === undefined) this.#arm();
  }

  /** The timer stops by itself when it finds nothing left to do. */
  delete(target: HeartbeatTarget): void {
    this.#targets.delete(target);
  }

  get size(): number {
    return this.#targets.size;
  }

  /** Ends all of them at once. */
  cutAll(): void {
    for (const target of [...this.#targets]) target.cut();
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#ms, () => {
      this.#timer = undefined;
      for (const target of [...this.#targets]) target.beat(this.#ms);
      if (this.#targets.size > 0) this.#arm();
    });
    unref(this.#timer);
  }
}
