/**
 * When to come back to a stream that ended: as the server asked, else later and later; and not for ever (C4, E1.9, E3.4).
 *
 * A reconnect that succeeds is no progress: only something new from the server is.
 */

/** Reconnects without anything new before the stream is given up. */
export const MAX_ATTEMPTS = 5;
/** Shortest and longest wait in ms, whatever a server asks for. */
export const MIN_WAIT = 250;
export const MAX_WAIT = 30_000;
const FIRST_WAIT = 1_000;

export class Backoff {
  #failures = 0;
  #retry: number | undefined;

  /** The server named how long to wait, in ms. */
  set retry(ms: number) {
    this.#retry = ms;
  }

  /** Something new arrived. */
  progressed(): void {
    this.#failures = 0;
  }

  /** A sign of life without a message: counts where the server has us come back on purpose, not where it flaps. */
  polled(): void {
    if (this.#retry !== undefined && this.#retry >= MIN_WAIT) this.#failures = 0;
  }

  /** Milliseconds until the next attempt; undefined once it is enough. Jitter only where the server named no time. */
  next(): number | undefined {
    if (++this.#failures > MAX_ATTEMPTS) return undefined;
    if (this.#retry !== undefined) return Math.min(Math.max(this.#retry, MIN_WAIT), MAX_WAIT);
    const ceiling = Math.min(FIRST_WAIT * 2 ** (this.#failures - 1), MAX_WAIT);
    return Math.max(MIN_WAIT, Math.random() * ceiling);
  }
}
