/**
 * Remembers which DPoP proofs were used, until they have expired.
 *
 * Security: nothing is forgotten earlier, because a proof could then be used again. If there is no room, new proofs are
 * refused.
 */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

const MINUTE = 60_000;

export class UsedProofs {
  readonly #max: number;
  /** Ids by the minute in which they may be forgotten, so that forgetting is cheap. */
  readonly #minutes = new Map<number, Set<string>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns true for the first claim of `key` within `ms` milliseconds. @throws LimitExceededError if there is no room */
  claim(key: string, ms: number): boolean {
    const now = Date.now();
    this.#forget(now);
    for (const names of this.#minutes.values()) if (names.has(key)) return false;
    if (this.#size >= this.#max) throw new LimitExceededError("dpop.maxProofs", this.#max);
    const minute = Math.floor((now + ms) / MINUTE);
    const names = this.#minutes.get(minute) ?? new Set();
    this.#minutes.set(minute, names.add(key));
    this.#size++;
    return true;
  }

  #forget(now: number): void {
    for (const [minute, names] of this.#minutes) {
      if ((minute + 1) * MINUTE > now) continue;
      this.#minutes.delete(minute);
      this.#size -= names.size;
    }
  }
}
