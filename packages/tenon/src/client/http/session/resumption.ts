/**
 * When a client reconnects to a stream that ended: after the time the server asked for, else after longer and longer waits. It
 * stops after {@link MAX_ATTEMPTS} reconnects without anything new (MCP 2025-11-25, Transports, Resumability and Redelivery).
 *
 * A reconnect that succeeds is no progress: only a new event from the server is.
 */

/** Reconnects without anything new before the client stops trying. */
export const MAX_ATTEMPTS = 5;
/** Shortest and longest wait in ms, whatever a server asks for. */
export const MIN_WAIT = 250;
export const MAX_WAIT = 30_000;
const FIRST_WAIT = 1_000;
/** Milliseconds after which an open stream counts as stable. */
export const STEADY = 10_000;

export class Backoff {
  #failures = 0;
  #retry: number | undefined;

  /** Sets the wait that the server named, in milliseconds. */
  set retry(ms: number) {
    this.#retry = ms;
  }

  /** Records that something new arrived. */
  progressed(): void {
    this.#failures = 0;
  }

  /** Records how many milliseconds the stream was open: one that lasted counts as progress. */
  lasted(ms: number): void {
    if (ms >= STEADY) this.progressed();
  }

  /** Records that the server sent an event without a message. It resets the count only if the server makes clients reconnect on purpose. */
  polled(): void {
    if (this.#retry !== undefined && this.#retry >= MIN_WAIT) this.#failures = 0;
  }

  /** Milliseconds until the next attempt; undefined when no attempts are left. Jitter is added only if the server named no time. */
  next(): number | undefined {
    if (++this.#failures > MAX_ATTEMPTS) return undefined;
    if (this.#retry !== undefined) return Math.min(Math.max(this.#retry, MIN_WAIT), MAX_WAIT);
    const ceiling = Math.min(FIRST_WAIT * 2 ** (this.#failures - 1), MAX_WAIT);
    return Math.max(MIN_WAIT, Math.random() * ceiling);
  }
}
