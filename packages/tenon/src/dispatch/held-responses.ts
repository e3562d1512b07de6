/**
 * Responses to requests whose progress was sent: each is held for a moment, so that the peer has read the progress before.
 *
 * Clients and servers made with the official SDK 1.x forget a request as soon as they see its response, but handle its progress
 * only after all messages that they read together: the last progress is lost to them if the response is read with it. To write the
 * progress first, and then to wait until another process can have woken up, is all that a sender can do.
 */
import type { Clock, Timer } from "../base/clock.ts";

/** Milliseconds between the end of a handler that sent progress and its response. */
export const PAUSE_AFTER_PROGRESS = 1;

export class HeldResponses {
  readonly #clock: Clock;
  /** What sends each of them, by its timer. */
  readonly #held = new Map<Timer, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#held.size;
  }

  hold(send: () => void): void {
    const timer = this.#clock.setTimer(PAUSE_AFTER_PROGRESS, () => {
      this.#held.delete(timer);
      send();
    });
    this.#held.set(timer, send);
  }

  /** Sends all of them now, because the connection ends. */
  sendAll(): void {
    for (const [timer, send] of this.#held) {
      this.#clock.clearTimer(timer);
      this.#held.delete(timer);
      send();
    }
  }
}
