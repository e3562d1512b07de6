/** The default task store, in the memory of this process. It stores and returns copies, as every store does. */
import { assertKnown, type OptionKeys } from "../../../base/known-options.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { hasEnded, hasExpired, type TaskRecord } from "./task-record.ts";
import { tasksFull, type TaskCounts, type TaskLease, type TaskPlace, type TaskStore } from "./task-store.ts";

/** Options of {@link MemoryTaskStore}. */
export interface MemoryTaskStoreOptions {
  /** The most characters of all tasks together, with their answers and results. Default 64 Mi. */
  maxSize?: number;
}

const STORE_OPTIONS: OptionKeys<MemoryTaskStoreOptions> = { maxSize: 1 };

interface KeptTask {
  /** The record as JSON. */
  text: string;
  readonly owner: string;
  readonly createdAt: number;
  /** Milliseconds after its creation until which it is kept. */
  readonly ttl: number;
  version: number;
  ended: boolean;
  lease: TaskLease | undefined;
}

const MAX_SIZE = 64 * 2 ** 20;

/** Keeps tasks in the memory of this process, so they end with it. Bounded: above a limit it throws `LimitExceededError`. */
export class MemoryTaskStore implements TaskStore {
  /** Oldest first. */
  readonly #tasks = new Map<string, KeptTask>();
  readonly #owned = new Map<string, Set<string>>();
  readonly #listeners = new Set<(id: string) => void>();
  readonly #maxSize: number;
  #size = 0;
  /** When the first of them expires, or earlier. */
  #soonest = Infinity;

  /** @throws RangeError if `maxSize` is not a number above 0 */
  constructor(options: MemoryTaskStoreOptions = {}) {
    assertKnown("new MemoryTaskStore()", options, STORE_OPTIONS);
    const { maxSize = MAX_SIZE } = options;
    if (!(maxSize > 0)) throw new RangeError(`Option "maxSize" must be a number > 0, not ${String(maxSize)}`);
    this.#maxSize = maxSize;
  }

  insert(record: TaskRecord, lease: TaskLease, { maxTasks = Infinity, maxTasksPerOwner = Infinity }: TaskCounts): void {
    const { id, owner, createdAt, ttl, version } = record;
    const owned = this.#owned.get(owner) ?? new Set();
    if (this.#tasks.size >= maxTasks) throw tasksFull("maxTasks", maxTasks);
    if (owned.size >= maxTasksPerOwner) throw tasksFull("maxTasksPerPrincipal", maxTasksPerOwner);
    const text = this.#fit(record, 0);
    this.#tasks.set(id, { text, owner, createdAt, ttl, version, ended: hasEnded(record), lease });
    this.#owned.set(owner, owned.add(id));
    this.#soonest = Math.min(this.#soonest, createdAt + ttl);
    this.#tell(id);
  }

  get(id: string): TaskRecord | undefined {
    const entry = this.#tasks.get(id);
    return entry && (JSON.parse(entry.text) as TaskRecord); // as it was stored
  }

  replace(record: TaskRecord): boolean {
    const entry = this.#tasks.get(record.id);
    if (entry === undefined || entry.version !== record.version - 1) return false;
    entry.text = this.#fit(record, entry.text.length);
    entry.version = record.version;
    entry.ended = hasEnded(record);
    this.#tell(record.id);
    return true;
  }

  lease(id: string, lease: TaskLease, now: number): boolean {
    const entry = this.#tasks.get(id);
    if (entry === undefined) return false;
    const other = entry.lease !== undefined && entry.lease.worker !== lease.worker && entry.lease.until > now;
    if (!other) entry.lease = lease;
    return !other;
  }

  release(id: string, worker: string): void {
    const entry = this.#tasks.get(id);
    if (entry?.lease?.worker === worker) entry.lease = undefined;
  }

  abandoned(now: number, limit: number): readonly string[] {
    const free = ({ ended, lease }: KeptTask): boolean => !ended && (lease === undefined || lease.until <= now);
    const ids: string[] = [];
    for (const [id, kept] of this.#tasks) {
      if (ids.length >= limit) break;
      if (free(kept)) ids.push(id);
    }
    return ids;
  }

  list(owner: string, after: TaskPlace | undefined, limit: number): readonly TaskRecord[] {
    const places = [...(this.#owned.get(owner) ?? [])].map((id) => ({ id, createdAt: this.#tasks.get(id)!.createdAt }));
    const rest = places.filter((place) => after === undefined || compare(place, after) > 0).sort(compare);
    return rest.slice(0, limit).map(({ id }) => this.get(id)!);
  }

  forget(now: number): void {
    // It is asked before each task is kept.
    if (now < this.#soonest) return;
    this.#soonest = Infinity;
    for (const [id, kept] of this.#tasks) {
      if (hasExpired(kept, now)) this.#remove(id, kept);
      else this.#soonest = Math.min(this.#soonest, kept.createdAt + kept.ttl);
    }
  }

  subscribe(listener: (id: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #remove(id: string, { text, owner }: KeptTask): void {
    this.#size -= text.length;
    this.#tasks.delete(id);
    const owned = this.#owned.get(owner);
    owned?.delete(id);
    if (owned?.size === 0) this.#owned.delete(owner);
    this.#tell(id);
  }

  /** Serializes a record that replaces `before` characters, and counts it. @throws LimitExceededError if the store is full */
  #fit(record: TaskRecord, before: number): string {
    const text = JSON.stringify(record);
    const size = this.#size - before + text.length;
    if (size > this.#maxSize && text.length > before) {
      throw new LimitExceededError("MemoryTaskStore.maxSize", this.#maxSize, size, ErrorCode.InternalError);
    }
    this.#size = size;
    return text;
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

function compare(a: TaskPlace, b: TaskPlace): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : Number(a.id > b.id));
}
