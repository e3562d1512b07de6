/**
 * The tasks of a store as this process uses them: creates, finds, changes and awaits tasks.
 *
 * It does not depend on wire forms or handlers. A change starts from the stored record and is repeated if another change came first. A
 * task that has ended never changes.
 */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { type Clock, unref } from "../../../base/clock.ts";
import { randomId } from "../../../base/bytes.ts";
import { StoreClock } from "../../../base/store-clock.ts";
import { workerHost, workerStore } from "../../../base/worker-host.ts";
import { SHARED_OWNER } from "../server/owner.ts";
import { EMPTY_JOURNAL, hasEnded, hasExpired, type TaskRecord } from "./task-record.ts";
import { MemoryTaskStore } from "./memory-task-store.ts";
import type { TaskCounts, TaskLease, TaskStore } from "./task-store.ts";
import { TaskShares } from "./task-shares.ts";
import { TaskWatchers } from "./task-watchers.ts";

export interface TaskTableOptions extends TaskCounts {
  /** Default: the store that the workers of one program share, or else one in memory. */
  readonly store: TaskStore | undefined;
  readonly clock: Clock;
  /** Whether other processes use the store, so that their tasks may be taken over. */
  readonly shared: boolean;
  /** Milliseconds until a task without a renewed lease counts as abandoned. */
  readonly lease: number;
  /** Receives failures in the background. */
  readonly report: (error: unknown) => void;
}

export type NewTask = Pick<TaskRecord, "owner" | "ttl" | "pollInterval" | "call" | "restart"> &
  Partial<Pick<TaskRecord, "journal" | "maxRuns">>;

/** The most attempts of one change. */
const MAX_ATTEMPTS = 100;
/** The longest lease, in multiples of the usual one. */
const MAX_LEASES = 32;
/** The most characters of an id that an error repeats. */
const MAX_QUOTED_ID = 64;

export class TaskTable {
  readonly clock: Clock;
  /** Milliseconds between two sweeps: a third of the lease, so that one sweep may fail. */
  readonly interval: number;
  onRound: (() => Promise<void>) | undefined;
  readonly #options: TaskTableOptions;
  readonly #watchers: TaskWatchers = new TaskWatchers(() => this.store);
  readonly #shares: TaskShares;
  #store: TaskStore | undefined;
  #time: StoreClock | undefined;
  #worker: string | undefined;
  #timer: unknown;
  #closed = false;
  /** When the last task of this process expires. */
  #lastExpiry = 0;

  constructor(options: TaskTableOptions) {
    this.#options = options;
    this.#shares = new TaskShares(options.maxTasksPerOwner ?? Infinity);
    this.clock = options.clock;
    this.interval = options.lease / 3;
  }

  /** Known with its first use: then it is known whether this process is a worker. */
  get store(): TaskStore {
    return (this.#store ??= this.#options.store ?? workerStore<TaskStore>("tasks") ?? new MemoryTaskStore());
  }

  get #clockOfStore(): StoreClock {
    return (this.#time ??= new StoreClock(this.clock, this.store));
  }

  get #isShared(): boolean {
    return this.#options.shared || workerHost() !== undefined;
  }

  /** Milliseconds since 1970 by the clock of the store, if it tells it: clocks of processes differ. */
  now(): number {
    return this.#clockOfStore.now();
  }

  /** The name of this process in leases. Made on first use, because some runtimes have no random numbers while modules load. */
  get worker(): string {
    return (this.#worker ??= randomId());
  }

  /** The lease of a run. It doubles with each try: if the process crashes, the rest of the lease is the pause before the next run. */
  nextLease(tries = 1): TaskLease {
    return { worker: this.worker, until: this.now() + this.#options.lease * Math.min(2 ** (tries - 1), MAX_LEASES) };
  }

  /**
   * Creates a task with status `working`. When this has resolved, every process finds it. `address`: the address of a caller without a principal,
   * if it is known. @throws LimitExceededError
   */
  async create(task: NewTask, address?: string): Promise<TaskRecord> {
    await this.#clockOfStore.refresh();
    const now = this.now();
    const takeBack = address === undefined ? undefined : this.#shares.take(address, now + task.ttl, now);
    try {
      return await this.#insert(task, now);
    } catch (error) {
      takeBack?.();
      throw error;
    }
  }

  async #insert(task: NewTask, now: number): Promise<TaskRecord> {
    const record: TaskRecord = {
      id: randomId(),
      version: 1,
      status: "working",
      createdAt: now,
      updatedAt: now,
      run: 1,
      tries: 1,
      maxRuns: 1,
      journal: EMPTY_JOURNAL,
      questions: [],
      ...task,
    };
    await this.store.forget(now);
    await this.store.insert(record, this.nextLease(), this.#limitsOf(task));
    this.#lastExpiry = Math.max(this.#lastExpiry, now + task.ttl);
    this.begin();
    return record;
  }

  /** The limits of the store. Callers without principal and session have no share of their own. */
  #limitsOf({ owner }: NewTask): TaskCounts {
    const { maxTasks = Infinity, maxTasksPerOwner = Infinity } = this.#options;
    return {
      ...(maxTasks !== Infinity && { maxTasks }),
      ...(maxTasksPerOwner !== Infinity && owner !== SHARED_OWNER && { maxTasksPerOwner }),
    };
  }

  /** @throws McpError -32602, the same if the task never existed, has expired, or belongs to another owner */
  async find(id: unknown, owner: string): Promise<TaskRecord> {
    if (typeof id !== "string") throw new McpError(ErrorCode.InvalidParams, '"taskId" must be a string');
    const record = await this.get(id);
    if (record === undefined || record.owner !== owner) throw taskNotFoundError(id);
    return record;
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const record = await this.store.get(id);
    await this.#clockOfStore.refresh();
    return record === undefined || hasExpired(record, this.now()) ? undefined : record;
  }

  /**
   * Changes a task that has not ended. `change` may be called several times, each time with what is there; it returns undefined or the
   * same record for no change.
   * @returns the changed task, or undefined if nothing changed
   */
  async change(id: string, change: (record: TaskRecord) => TaskRecord | undefined): Promise<TaskRecord | undefined> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const record = await this.get(id);
      const changed = record === undefined || hasEnded(record) ? undefined : change(record);
      if (changed === undefined || changed === record) return undefined;
      const next = { ...changed, version: record!.version + 1, updatedAt: looksTheSame(record!, changed) ? record!.updatedAt : this.now() };
      if (await this.store.replace(next)) return next;
    }
    throw new McpError(ErrorCode.InternalError, "The task could not be changed: too many others change it");
  }

  /** Calls `listener` after each change of a task. Returns a function that stops this. */
  watch(id: string, listener: () => void): () => void {
    return this.#watchers.add(id, listener);
  }

  /** Waits until `ready` returns a value. It gets the task at once and after each change. @throws `signal.reason` */
  async until<T>(id: string, signal: AbortSignal, ready: (record: TaskRecord | undefined) => T | undefined): Promise<T> {
    let changes = 0;
    let wake: (() => void) | undefined;
    const changed = (): void => {
      changes++;
      wake?.();
    };
    const stop = this.watch(id, changed);
    signal.addEventListener("abort", changed);
    try {
      for (;;) {
        signal.throwIfAborted();
        const before = changes;
        const found = ready(await this.get(id));
        if (found !== undefined) return found;
        // A change without a notification is seen after `interval`.
        if (changes === before) await this.#sleep((resolve) => (wake = resolve));
      }
    } finally {
      stop();
      signal.removeEventListener("abort", changed);
    }
  }

  #sleep(wakeWith: (wake: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.clock.setTimer(this.interval, resolve);
      unref(timer);
      wakeWith(() => {
        this.clock.clearTimer(timer);
        resolve();
      });
    });
  }

  // ---- sweeps ----

  /** Begins the sweeps if other processes use the store, because one of them may have ended. */
  beginIfShared(): void {
    if (this.#isShared) this.begin();
  }

  /** Begins the sweeps. They continue while this process has tasks; with a shared store, until the table is closed. */
  begin(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = this.clock.setTimer(this.interval, () => void this.#round());
    unref(this.#timer);
  }

  async #round(): Promise<void> {
    try {
      await this.#clockOfStore.refresh();
      this.#shares.forget(this.now());
      await this.store.forget(this.now());
      await this.onRound?.();
    } catch (error) {
      this.#options.report(error);
    }
    this.#timer = undefined;
    if (this.#isShared || this.now() < this.#lastExpiry) this.begin();
  }

  close(): void {
    this.#closed = true;
    this.clock.clearTimer(this.#timer);
    this.#watchers.close();
  }
}

/** Whether clients see no difference between two records. */
function looksTheSame(before: TaskRecord, after: TaskRecord): boolean {
  if (before.progress !== after.progress) return false;
  return before.status === after.status && before.statusMessage === after.statusMessage && before.questions === after.questions;
}

/** The error for a task that does not exist or belongs to another owner. */
export function taskNotFoundError(id: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `Task not found: ${id.slice(0, MAX_QUOTED_ID)}`);
}
