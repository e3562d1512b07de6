/** One timer for all open streams: keeps quiet ones alive and cuts those nobody reads (H10, H12). */
import { type Clock, type Timer, unref } from "../../base/clock.ts";
import type { EventStream } from "./event-stream.ts";

export class Heartbeat {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #streams = new Set<EventStream>();
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  add(stream: EventStream): void {
    this.#streams.add(stream);
    if (this.#timer === undefined) this.#arm();
  }

  /** The timer stops by itself when it finds nothing left to do. */
  delete(stream: EventStream): void {
    this.#streams.delete(stream);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Ends every stream at once. */
  cutAll(): void {
    for (const stream of [...this.#streams]) stream.cut();
    if (this.#timer !== undefined) this.#clock.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#ms, () => {
      this.#timer = undefined;
      for (const stream of [...this.#streams]) stream.beat(this.#ms);
      if (this.#streams.size > 0) this.#arm();
    });
    unref(this.#timer);
  }
}
