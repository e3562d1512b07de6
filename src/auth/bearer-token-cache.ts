/**
 * Tokens that were found good, so that the next request with the same token costs a look into a table.
 *
 * Nothing stays longer than its time, and nothing that was refused is remembered: a client cannot fill the table with
 * what it makes up.
 */
import type { Authorized } from "./endpoint-auth.ts";

/** Tokens kept, and their characters in total; the oldest go first. */
const MAX_TOKENS = 10_000;
const MAX_SIZE = 16 * 2 ** 20;

interface Kept {
  readonly authorized: Authorized;
  readonly until: number;
}

export class TokenCache {
  readonly #ttl: number;
  readonly #tokens = new Map<string, Kept>();
  #size = 0;

  /** @param ttl milliseconds; 0 keeps nothing */
  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get(token: string): Authorized | undefined {
    const kept = this.#tokens.get(token);
    if (kept === undefined || kept.until > Date.now()) return kept?.authorized;
    this.#drop(token);
    return undefined;
  }

  add(token: string, authorized: Authorized): void {
    if (this.#ttl === 0) return;
    this.#drop(token);
    this.#tokens.set(token, { authorized, until: Math.min(Date.now() + this.#ttl, authorized.until) });
    this.#size += token.length;
    for (const oldest of this.#tokens.keys()) {
      if (this.#tokens.size <= MAX_TOKENS && this.#size <= MAX_SIZE) return;
      this.#drop(oldest);
    }
  }

  #drop(token: string): void {
    if (this.#tokens.delete(token)) this.#size -= token.length;
  }
}
