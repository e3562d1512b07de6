/**
 * Detects by failed calls that a server over HTTP is gone, because no connection ends there.
 *
 * Only errors that prove a lost connection count. A timeout of a call does not, because each caller has its own limit.
 */
import type { Clock } from "../../base/clock.ts";
import { ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import { HttpStatusError, isSessionless, SessionLostError } from "../../client/http/errors.ts";

/** Failed calls in a row, within `WINDOW` ms, after which the server counts as gone. */
const MAX_FAILURES = 5;
const WINDOW = 30_000;

export class Health {
  readonly #clock: Clock;
  /** Times of the failures since the last success. */
  #failures: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  answered(): void {
    if (this.#failures.length > 0) this.#failures = [];
  }

  /** Counts a failed call. Returns true if the limit is reached. */
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
  if (isSessionless(error)) return true;
  if (error instanceof HttpStatusError) return error.status >= 500;
  return error instanceof ConnectionLostError && !(error instanceof SessionLostError);
}
