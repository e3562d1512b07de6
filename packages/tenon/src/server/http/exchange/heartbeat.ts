/** One timer for all open responses: keeps quiet streams alive, and cuts clients that do not read. */
import { Repeating, type Clock } from "../../../base/clock.ts";

/** What a client reads: a stream, or queued responses. */
export interface HeartbeatTarget {
  /** Called every `ms` milliseconds. */
  beat(ms: number): void;
  cut(): void;
}

export class Heartbeat {
  readonly #targets = new Set<HeartbeatTarget>();
  readonly #beats: Repeating;

  constructor(clock: Clock, ms: number) {
    this.#beats = new Repeating(clock, ms, () => {
      for (const target of [...this.#targets]) target.beat(ms);
      return this.#targets.size > 0;
    });
  }

  add(target: HeartbeatTarget): void {
    this.#targets.add(target);
    this.#beats.start();
  }

  /** Removes a target. The timer stops when no target is left. */
  delete(target: HeartbeatTarget): void {
    this.#targets.delete(target);
  }

  cutAll(): void {
    for (const target of [...this.#targets]) target.cut();
    this.#beats.stop();
  }
}
