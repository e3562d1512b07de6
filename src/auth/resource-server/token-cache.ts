/**
 * Tokens that were found good, so that the next request with the same token costs a look into a table.
 *
 * Nothing stays longer than its time, and nothing that was refused is remembered: a client cannot fill the table with
 * what it makes up.
 */
import type { PresentedToken } from "./presented-token.ts";
import type { Authorized } from "./endpoint-auth.ts";

/** Tokens kept, and their characters in total; the oldest go first, and those whose time is over with the next one that comes. */
const MAX_TOKENS = 10_000;
const MAX_SIZE = 16 * 2 ** 20;

/** What a header said, and what it is worth. */
export interface KnownToken {
  readonly presented: PresentedToken;
  readonly authorized: Authorized;
}

interface Kept extends KnownToken {
  readonly until: number;
}

export class TokenCache {
  readonly #ttl: number;
  /** By the whole header: what was read once need not be read again. */
  readonly #tokens = new Map<string, Kept>();
  #size = 0;

  /** @param ttl milliseconds; 0 keeps nothing */
  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get(header: string): KnownToken | undefined {
    const kept = this.#tokens.get(header);
    if (kept === undefined || kept.until > Date.now()) return kept;
    this.#drop(header);
    return undefined;
  }

  add(header: string, { presented, authorized }: KnownToken): void {
    if (this.#ttl === 0) return;
    this.#drop(header);
    const now = Date.now();
    this.#tokens.set(header, { presented, authorized, until: Math.min(now + this.#ttl, authorized.until) });
    this.#size += header.length;
    for (const [oldest, { until }] of this.#tokens) {
      if (this.#tokens.size <= MAX_TOKENS && this.#size <= MAX_SIZE && until > now) return;
      this.#drop(oldest);
    }
  }

  #drop(header: string): void {
    if (this.#tokens.delete(header)) this.#size -= header.length;
  }
}
