/**
 * Where registrations, tokens and half-finished logins are kept, and who may change them at a time.
 *
 * A store is a map with locks. What is in it is secret; what its records mean is not the store's business.
 */
import { unlessAborted } from "../../base/abort.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** Where logins are kept. Security: it holds tokens and secrets; whoever reads it is the user. */
export interface AuthStore {
  /** The record under a key; undefined where there is none, or where it has expired. */
  get(key: string): MaybePromise<JsonObject | undefined>;
  /** Replaces the record as a whole. @param expiresAt milliseconds since 1970 after which it may be dropped */
  set(key: string, record: JsonObject, expiresAt?: number): MaybePromise<void>;
  /** Forgets the record under a key, if there is one. */
  delete(key: string): MaybePromise<void>;
  /**
   * Runs `work` while nobody else who shares the store runs any under the same key: in this process and, where the store is
   * shared between processes, in all of them. Refresh tokens that rotate are safe only under it (requirement M5.3).
   * `lost` aborts where the lock was lost on the way.
   * @throws what `work` throws; `signal.reason` while it waits
   */
  lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Entry {
  readonly record: JsonObject;
  readonly expiresAt: number;
}

/** Half-finished logins and servers that are never used again must not grow without end (R5). */
const MAX_RECORDS = 10_000;
const NEVER_LOST: AbortSignal = new AbortController().signal;

/**
 * Keeps everything in this process, for as long as it runs: 10 000 records at most, of which those written longest ago go first. The
 * default of every grant.
 */
export class MemoryStore implements AuthStore {
  readonly #entries = new Map<string, Entry>();
  readonly #locks = new KeyedLock();

  get(key: string): JsonObject | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > Date.now()) return structuredClone(entry.record);
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, record: JsonObject, expiresAt: number = Infinity): void {
    this.#entries.delete(key);
    if (this.#entries.size >= MAX_RECORDS) this.#makeRoom();
    this.#entries.set(key, { record: structuredClone(record), expiresAt });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#locks.run(key, () => work(NEVER_LOST), signal);
  }

  /** Drops what has expired, else what was written longest ago. */
  #makeRoom(): void {
    const now = Date.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MAX_RECORDS) return;
      this.#entries.delete(oldest);
    }
  }
}

/** One at a time for each key, in this process, in the order they came: what stores build their locks on. */
export class KeyedLock {
  /** The last in line of each key that is in use. */
  readonly #last = new Map<string, Promise<void>>();

  /** @throws what `work` throws; `signal.reason` while it waits */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    let leave!: () => void;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const mine = before.then(() => left);
    this.#last.set(key, mine);
    try {
      await unlessAborted(before, signal);
      return await work();
    } finally {
      leave();
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
