/**
 * Where tasks are kept: the seam to engines that several processes share.
 *
 * Small on purpose: what must not happen twice rests on two operations, `replace` and `lease`, each atomic in the store.
 * Everything else (states, questions, limits of a form) is decided above, by whoever calls. The store tests of
 * `tenon/testing` hold an implementation to this.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { TaskRecord } from "./task-record.ts";

/** Who works on a task, and until when that is believed. */
export interface TaskLease {
  /** A process, by a name of its own. */
  readonly worker: string;
  /** Milliseconds since 1970. The store holds the lease until then, however long that is. */
  readonly until: number;
}

/** How many tasks a store may hold. A limit that is infinite is left out, because JSON has no number for it. */
export interface TaskCounts {
  /** Most tasks there may be. */
  readonly maxTasks?: number;
  /** Most tasks one owner may have. */
  readonly maxTasksPerOwner?: number;
}

/** Where a task stands in a list, be it there or not. */
export type TaskPlace = Pick<TaskRecord, "createdAt" | "id">;

/** Where tasks are kept. Every store passes the checks of `taskStoreChecks` (`tenon/testing`). */
export interface TaskStore {
  /**
   * Keeps a new task, leased to whoever runs it. When this has resolved every process finds it, and it survives what
   * the store survives (O5). @throws LimitExceededError where there are too many, of all or of its owner
   */
  insert(record: TaskRecord, lease: TaskLease, limits: TaskCounts): MaybePromise<void>;
  /** The task as it was put last; its own copy. Expired ones may still be there. */
  get(id: string): MaybePromise<TaskRecord | undefined>;
  /** Puts a task in the place of its version before. False, and nothing changed, where that is not the one there. Atomic. */
  replace(record: TaskRecord): MaybePromise<boolean>;
  /**
   * Takes, or renews, the lease of a task: true where `worker` has it now, false where another's is good at `now`, and for a
   * task that is gone. Atomic.
   */
  lease(id: string, lease: TaskLease, now: number): MaybePromise<boolean>;
  /** Gives the lease back, if it is that worker's. */
  release(id: string, worker: string): MaybePromise<void>;
  /** Ids of tasks that have not ended and that nobody works on at `now`. */
  abandoned(now: number, limit: number): MaybePromise<readonly string[]>;
  /** Tasks of an owner in the order of `createdAt` and `id`, those after that place. */
  list(owner: string, after: TaskPlace | undefined, limit: number): MaybePromise<readonly TaskRecord[]>;
  /** Forgets what has expired at `now`. An engine that expires entries by itself needs to do nothing. */
  forget(now: number): MaybePromise<void>;
  /** Calls `listener` with the id of each task that is put, by whichever process. Told late or never, callers only wait longer. */
  subscribe(listener: (id: string) => void): () => void;
}
