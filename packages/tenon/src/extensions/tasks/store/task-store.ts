/**
 * The interface of task stores, which several processes can share.
 *
 * It is small: two operations, `replace` and `lease`, must be atomic in the store. Statuses, questions and limits are the concern of the
 * callers. `taskStoreChecks` of `tenon/testing` test an implementation.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import type { TaskRecord } from "./task-record.ts";

/** Which process runs a task, and until when. */
export interface TaskLease {
  /** The unique name of a process. */
  readonly worker: string;
  /** Milliseconds since 1970. The store keeps the lease until then, however long that is. */
  readonly until: number;
}

/** How many tasks a store may hold. An infinite limit is left out, because JSON has no number for it. */
export interface TaskCounts {
  /** The most tasks in the store. */
  readonly maxTasks?: number;
  /** The most tasks of one owner. */
  readonly maxTasksPerOwner?: number;
}

/** A position in a list of tasks. No task need be there. */
export type TaskPlace = Pick<TaskRecord, "createdAt" | "id">;

/** Keeps tasks. Every store must pass the checks of `taskStoreChecks` (`tenon/testing`). */
export interface TaskStore {
  /**
   * Stores a new task with a lease. When this has resolved, every process finds the task, and it is as durable as the store. @throws
   * LimitExceededError if a limit of `limits` is reached
   */
  insert(record: TaskRecord, lease: TaskLease, limits: TaskCounts): MaybePromise<void>;
  /** The newest version of a task, as a copy. An expired task may still be found. */
  get(id: string): MaybePromise<TaskRecord | undefined>;
  /** Replaces the version before a task. Returns false and changes nothing if the stored version is another one. Atomic. */
  replace(record: TaskRecord): MaybePromise<boolean>;
  /**
   * Takes or renews the lease of a task. Returns true if `worker` has it now; false if another worker's lease is valid at `now`, or the
   * task does not exist. Atomic.
   */
  lease(id: string, lease: TaskLease, now: number): MaybePromise<boolean>;
  /** Releases the lease, if that worker has it. */
  release(id: string, worker: string): MaybePromise<void>;
  /** Ids of tasks that have not ended and have no valid lease at `now`. */
  abandoned(now: number, limit: number): MaybePromise<readonly string[]>;
  /** Tasks of an owner after a place, in the order of `createdAt` and `id`. */
  list(owner: string, after: TaskPlace | undefined, limit: number): MaybePromise<readonly TaskRecord[]>;
  /** Deletes what has expired at `now`. An engine that expires entries itself does nothing. */
  forget(now: number): MaybePromise<void>;
  /** Calls `listener` with the id of each task that any process stores. If calls are late or missing, callers only wait longer. */
  subscribe(listener: (id: string) => void): () => void;
  /**
   * Milliseconds since 1970 on the clock of the store. Processes then pass and compare times by it, because their own clocks differ. Optional: without it
   * the clocks of all processes must be right.
   */
  now?(): MaybePromise<number>;
}

/** The error for a new task above a limit of the `tasks` extension. Each store refuses with the same one. */
export function tasksFull(limit: "maxTasks" | "maxTasksPerPrincipal", max: number): LimitExceededError {
  return new LimitExceededError(limit, max, undefined, ErrorCode.InternalError);
}
