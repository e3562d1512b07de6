/** The `subscriptions/listen` requests of a server that have no response yet: it waits for them before it closes their connections. */
import { finishesWithin, type Clock } from "../base/clock.ts";

/** Milliseconds that middleware has to pass the result of a stream on. */
const GRACE_MS = 1_000;

export class OpenListens {
  readonly #running = new Set<Promise<unknown>>();

  /** @param response settles when the request has its response */
  add(response: Promise<unknown>): void {
    this.#running.add(response);
    const ended = (): void => void this.#running.delete(response);
    response.then(ended, ended);
  }

  /** Resolves when all have their responses, after at most a second. Call it when their streams were ended. */
  async ended(clock: Clock): Promise<void> {
    if (this.#running.size > 0) await finishesWithin(clock, GRACE_MS, Promise.allSettled(this.#running));
  }
}
