/** A bounded table of entries with a lifetime. A full table refuses new entries and never drops a live one. */
import { OAuthError } from "./oauth-error.ts";

const CAPACITY = 10_000;

interface ExpiringValue<V> {
  readonly value: V;
  readonly expires: number;
}

export class ExpiringTable<V> {
  readonly #entries: Map<string, ExpiringValue<V>> = new Map();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Keeps `value` for `lifetime` milliseconds. @throws OAuthError if the table has 10 000 live entries */
  set(key: string, value: V, lifetime: number): void {
    if (this.#entries.size >= CAPACITY) this.#dropExpired();
    if (this.#entries.size >= CAPACITY) {
      throw new OAuthError("temporarily_unavailable", `The server keeps at most ${CAPACITY} of these at a time`, 503);
    }
    this.#entries.set(key, { value, expires: this.#clock() + lifetime });
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.expires > this.#clock()) return entry?.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Removes and returns a value, so that only one caller gets it. */
  take(key: string): V | undefined {
    const value = this.get(key);
    this.#entries.delete(key);
    return value;
  }

  /** Adds an entry for a name that may be used once. Returns false if it exists. */
  claim(key: string, value: V, lifetime: number): boolean {
    if (this.get(key) !== undefined) return false;
    this.set(key, value, lifetime);
    return true;
  }

  #dropExpired(): void {
    const now = this.#clock();
    for (const [key, { expires }] of this.#entries) if (expires <= now) this.#entries.delete(key);
  }
}
