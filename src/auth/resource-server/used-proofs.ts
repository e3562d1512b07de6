/**
 * Names that count once: which DPoP proofs have been used, until they are too old to count anyway.
 *
 * Nothing is forgotten before its time, for that would let somebody use it again. Where there is no room, what is new is
 * refused.
 */
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";

const MINUTE = 60_000;

export class UsedProofs {
  readonly #max: number;
  /** By the minute in which they may be forgotten, so that forgetting costs nothing. */
  readonly #minutes = new Map<number, Set<string>>();
  #size = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#size;
  }

  /** True for the first who claims `key` within `ms` milliseconds. @throws LimitExceededError where there is no room */
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
