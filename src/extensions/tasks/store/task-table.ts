/**
 * The tasks of a store, as this process works with them: created, found by their owner, changed one step after the
 * other, waited for.
 *
 * Knows no form of the wire and no handler. A change is made from what is there and counts only if nothing else was put
 * there meanwhile; then it is made again. What has ended is not changed any more, whoever wants to (N5).
 */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { type Clock, unref, wallNow } from "../../../base/clock.ts";
import { randomId } from "../../../base/random-id.ts";
import { SHARED_OWNER } from "../server/owner.ts";
import { EMPTY_JOURNAL, hasEnded, hasExpired, type TaskRecord } from "./task-record.ts";
import type { TaskCounts, TaskLease, TaskStore } from "./task-store.ts";
import { TaskShares } from "./task-shares.ts";
import { TaskWatchers } from "./task-watchers.ts";

export interface TaskTableOptions extends TaskCounts {
  readonly store: TaskStore;
  readonly clock: Clock;
  /** Milliseconds until a task is believed to be abandoned that nobody says he works on. */
  readonly lease: number;
  /** Whether other processes have tasks in that store, which may have to be taken over. */
  readonly shared: boolean;
  /** Told of failures that nobody waits for. */
  readonly report: (error: unknown) => void;
}

export type NewTask = Pick<TaskRecord, "owner" | "ttl" | "pollInterval" | "call" | "restart"> &
  Partial<Pick<TaskRecord, "journal" | "maxRuns">>;

/** Times a change is made again because another one came first. */
const MAX_ATTEMPTS = 100;
/** How many times the usual lease the longest one is. */
const MAX_LEASES = 32;
/** Longest id that is repeated in an error. */
const MAX_QUOTED_ID = 64;

export class TaskTable {
  readonly store: TaskStore;
  readonly clock: Clock;
  /** Milliseconds between two rounds of keeping house: leases are renewed at twice the rate they need. */
  readonly interval: number;
  /** What is done in each round. */
  onRound: (() => Promise<void>) | undefined;
  readonly #options: TaskTableOptions;
  readonly #watchers: TaskWatchers;
  readonly #shares: TaskShares;
  #worker: string | undefined;
  #timer: unknown;
  #closed = false;
  /** When the last task of this process will have expired. */
  #lastExpiry = 0;

  constructor(options: TaskTableOptions) {
    this.#options = options;
    this.store = options.store;
    this.#watchers = new TaskWatchers(options.store);
    this.#shares = new TaskShares(options.maxTasksPerOwner ?? Infinity);
    this.clock = options.clock;
    this.interval = options.lease / 3;
  }

  /** Milliseconds since 1970: the wall's, as processes share it, or a test's. */
  now(): number {
    return wallNow(this.clock);
  }

  /** Who this process is in leases. Not made up before it is needed: some runtimes have no randomness while modules load. */
  get worker(): string {
    return (this.#worker ??= randomId());
  }

  /**
   * The lease of a run. It doubles with each try: what is left of it when the process is gone is the pause before the next run,
   * and every process honours it.
   */
  nextLease(tries = 1): TaskLease {
    return { worker: this.worker, until: this.now() + this.#options.lease * Math.min(2 ** (tries - 1), MAX_LEASES) };
  }

  /**
   * A new task that works. When this has resolved, whoever may see it finds it. `address`: that of a caller without a principal, if it is
   * known. @throws LimitExceededError
   */
  async create(task: NewTask, address?: string): Promise<TaskRecord> {
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

  /** Callers without principal and session share what there is. */
  #limitsOf({ owner }: NewTask): TaskCounts {
    const { maxTasks = Infinity, maxTasksPerOwner = Infinity } = this.#options;
    return {
      ...(maxTasks !== Infinity && { maxTasks }),
      ...(maxTasksPerOwner !== Infinity && owner !== SHARED_OWNER && { maxTasksPerOwner }),
    };
  }

  /** @throws McpError -32602, the same for a task that never was, is gone, or is somebody else's (R4, O10) */
  async find(id: unknown, owner: string): Promise<TaskRecord> {
    if (typeof id !== "string") throw new McpError(ErrorCode.InvalidParams, '"taskId" must be a string');
    const record = await this.get(id);
    if (record === undefined || record.owner !== owner) throw taskNotFoundError(id);
    return record;
  }

  async get(id: string): Promise<TaskRecord | undefined> {
    const record = await this.store.get(id);
    return record === undefined || hasExpired(record, this.now()) ? undefined : record;
  }

  /**
   * Changes a task that has not ended. `change` may be called several times, each time with what is there; undefined, or what it
   * was given, is no change.
   * @returns the task as it is now, or undefined where nothing was changed
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

  /** Calls `listener` when the task was put. Returns how to stop. */
  watch(id: string, listener: () => void): () => void {
    return this.#watchers.add(id, listener);
  }

  /** Waits until a task is as `ready` wants it; it is shown the task at once and after each change (TK-18). @throws `signal.reason` */
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
        const seen = changes;
        const found = ready(await this.get(id));
        if (found !== undefined) return found;
        // What another process could not tell of is seen in the next round.
        if (changes === seen) await this.#sleep((resolve) => (wake = resolve));
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

  // ---- keeping house ----

  /** Begins the rounds if other processes have tasks in the store: one of them may be gone. */
  beginIfShared(): void {
    if (this.#options.shared) this.begin();
  }

  /** Begins the rounds. They last as long as this process has tasks; if other processes have some, until it is closed. */
  begin(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = this.clock.setTimer(this.interval, () => void this.#round());
    unref(this.#timer);
  }

  async #round(): Promise<void> {
    try {
      this.#shares.forget(this.now());
      await this.store.forget(this.now());
      await this.onRound?.();
    } catch (error) {
      this.#options.report(error);
    }
    this.#timer = undefined;
    if (this.#options.shared || this.now() < this.#lastExpiry) this.begin();
  }

  close(): void {
    this.#closed = true;
    this.clock.clearTimer(this.#timer);
    this.#watchers.close();
  }
}

/** Whether others see no difference: what only its handler knows may have changed. */
function looksTheSame(before: TaskRecord, after: TaskRecord): boolean {
  return before.status === after.status && before.statusMessage === after.statusMessage && before.questions === after.questions;
}

/** A stranger gets exactly this. */
export function taskNotFoundError(id: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `Task not found: ${id.slice(0, MAX_QUOTED_ID)}`);
}
