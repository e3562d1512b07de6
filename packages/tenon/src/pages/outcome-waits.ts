/**
 * Calls that wait until a user has answered a page. A page that is answered in this process wakes them; another process may be the one that
 * answers, so they look into the store, too.
 */
import { unlessAborted } from "../base/abort.ts";
import { sleep, type Clock } from "../base/clock.ts";

/** Milliseconds between two looks into the store. */
const LOOK = 1_000;

/** How long a call waits. */
interface Patience {
  readonly ms: number;
  readonly signal: AbortSignal;
}

export class OutcomeWaits {
  readonly #clock: Clock;
  /** By the id of the page. Each ends with its call. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Wakes the calls that wait for a page. */
  ended(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }

  /** What `look` finds, once it finds something; undefined if it has found nothing within `ms` milliseconds. @throws `signal.reason` */
  async until<T>(id: string, look: () => Promise<T | undefined>, { ms, signal }: Patience): Promise<T | undefined> {
    const end = this.#clock.now() + ms;
    for (;;) {
      const woken = this.#woken(id);
      try {
        const outcome = await unlessAborted(look(), signal);
        if (outcome !== undefined || this.#clock.now() >= end) return outcome;
        await Promise.race([woken.promise, sleep(this.#clock, Math.min(LOOK, end - this.#clock.now()), signal)]);
      } finally {
        woken.stop();
      }
    }
  }

  #woken(id: string): { readonly promise: Promise<void>; readonly stop: () => void } {
    const waiters = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, waiters);
    let wake!: () => void;
    const promise = new Promise<void>((resolve) => (wake = resolve));
    waiters.add(wake);
    const stop = (): void => {
      waiters.delete(wake);
      if (waiters.size === 0) this.#waiting.delete(id);
    };
    return { promise, stop };
  }
}
