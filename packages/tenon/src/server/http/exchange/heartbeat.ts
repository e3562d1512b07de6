/** One timer for all open responses: keeps quiet streams alive, and cuts clients that do not read. */
import { type Clock, type Timer, unref } from "../../../base/clock.ts";

/** What a client reads: a stream, or queued responses. */
export interface HeartbeatTarget {
  /** Called every `ms` milliseconds. */
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

  /** Removes a target. The timer stops when no target is left. */
  delete(target: HeartbeatTarget): void {
    this.#targets.delete(target);
  }

  get size(): number {
    return this.#targets.size;
  }

  /** Ends all targets at once. */
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
