/**
 * The store of registrations, tokens and unfinished logins, with locks for changing them.
 *
 * A store is a map with locks. Its content is secret. A store does not know what its records mean.
 */
import { unlessAborted } from "../../base/abort.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { workerStore } from "../../base/worker-host.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** Stores logins. Security: it holds tokens and secrets; everyone who can read it can act as the user. */
export interface AuthStore {
  /** Returns the record under a key; undefined if there is none or it has expired. */
  get(key: string): MaybePromise<JsonObject | undefined>;
  /** Replaces the record as a whole. @param expiresAt milliseconds since 1970 after which it may be dropped */
  set(key: string, record: JsonObject, expiresAt?: number): MaybePromise<void>;
  /** Forgets the record under a key, if there is one. */
  delete(key: string): MaybePromise<void>;
  /**
   * Runs `work` under an exclusive lock for the key: in this process and, if processes share the store, in all of them. Rotating
   * refresh tokens are safe only under this lock. `lost` aborts if the lock is lost meanwhile.
   * @throws what `work` throws; `signal.reason` while it waits
   */
  lock<T>(key: string, work: (lost: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Most records, so that unfinished logins and servers that are never used again do not fill the memory. */
const MAX_RECORDS = 10_000;
const NEVER_LOST: AbortSignal = new AbortController().signal;

/**
 * Keeps logins in memory, for as long as this process runs: 10 000 records at most; the oldest are evicted first. The default of
 * every grant.
 */
export class MemoryStore implements AuthStore {
  readonly #entries = new Map<string, { readonly record: JsonObject; readonly expiresAt: number }>();
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

  /** Drops expired records, and then the oldest ones. */
  #makeRoom(): void {
    const now = Date.now();
    for (const [key, { expiresAt }] of this.#entries) if (expiresAt <= now) this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < MAX_RECORDS) return;
      this.#entries.delete(oldest);
    }
  }
}

/** Keeps logins for as long as this program runs: in memory, or where the workers of the program share them. */
export function programLogins(): AuthStore {
  const memory = new MemoryStore();
  const store = (): AuthStore => workerStore<AuthStore>("logins") ?? memory;
  return {
    get: (key) => store().get(key),
    set: (key, record, expiresAt) => store().set(key, record, expiresAt),
    delete: (key) => store().delete(key),
    lock: (key, work, signal) => store().lock(key, work, signal),
  };
}

/** A lock for each key within this process, in order of arrival. Stores build their locks on it. */
export class KeyedLock {
  /** The end of the line for each key in use. */
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
