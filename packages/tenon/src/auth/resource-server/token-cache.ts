/**
 * Caches accepted tokens, so that the next request with the same token needs no verification.
 *
 * An entry stays no longer than its time. Refused tokens are not cached, so that made-up tokens cannot fill the cache.
 */
import type { PresentedToken } from "./presented-token.ts";
import type { Authorized } from "./endpoint-auth.ts";

/** Most tokens, and most characters of all headers. The oldest are evicted first. */
const MAX_TOKENS = 10_000;
const MAX_SIZE = 16 * 2 ** 20;

export interface KnownToken {
  readonly presented: PresentedToken;
  readonly authorized: Authorized;
}

interface CachedToken extends KnownToken {
  readonly until: number;
}

export class TokenCache {
  readonly #ttl: number;
  /** Entries by the whole header, so that it need not be parsed again. */
  readonly #tokens = new Map<string, CachedToken>();
  #size = 0;

  /** @param ttl milliseconds; 0 keeps nothing */
  constructor(ttl: number) {
    this.#ttl = ttl;
  }

  get size(): number {
    return this.#tokens.size;
  }

  get(header: string): KnownToken | undefined {
    const entry = this.#tokens.get(header);
    if (entry === undefined || entry.until > Date.now()) return entry;
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

  /** Forgets the tokens of which that is true. It looks at each. */
  removeWhere(isOf: (known: KnownToken) => boolean): void {
    for (const [header, known] of this.#tokens) if (isOf(known)) this.#drop(header);
  }

  #drop(header: string): void {
    if (this.#tokens.delete(header)) this.#size -= header.length;
  }
}
