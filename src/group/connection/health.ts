/**
 * Finds out from its calls that a server is not there any more, where no connection ends to say so: over HTTP.
 *
 * Only what proves that nothing arrives counts. A call that took too long does not: each caller has a limit of its own.
 */
import type { Clock } from "../../base/clock.ts";
import { ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import { HttpStatusError, SessionLostError } from "../../client/http/errors.ts";

/** Calls in a row that fail before the server counts as gone, all within so many ms (b.11-G6). */
const MAX_FAILURES = 5;
const WINDOW = 30_000;

export class Health {
  readonly #clock: Clock;
  /** When the calls failed that have failed since the last one that was answered. */
  #failures: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answered(): void {
    if (this.#failures.length > 0) this.#failures = [];
  }

  /** A call failed. True where that was one too many. */
  failed(error: unknown): boolean {
    if (!isOutage(error)) {
      this.answered();
      return false;
    }
    const now = this.#clock.now();
    this.#failures = [...this.#failures.filter((time) => now - time < WINDOW), now];
    return this.#failures.length >= MAX_FAILURES;
  }
}

function isOutage(error: unknown): boolean {
  if (error instanceof HttpStatusError) return error.status >= 500;
  return error instanceof ConnectionLostError && !(error instanceof SessionLostError);
}
