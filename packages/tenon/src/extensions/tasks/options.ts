/** The options of the tasks extension: where tasks are kept, how long, and how many. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { TaskEvent } from "../../session/tasks.ts";
import { assertDuration } from "../../base/number-options.ts";
import type { TaskStore } from "./store/task-store.ts";

/** Options of `tasks()`. All times are in milliseconds. */
export interface TasksOptions {
  /** Where tasks are kept. Default: the memory of this process, which its `workers` share, so they end with it. */
  store?: TaskStore;
  /** Milliseconds that a task is kept after its start, if its tool sets no `ttl`. Default 3 600 000 (1 hour). */
  ttl?: number;
  /** The longest `ttl` that a client can request (2025-11-25), in milliseconds. Default 86 400 000 (1 day). */
  maxTtl?: number;
  /** Milliseconds that a client should wait between two polls, if the tool does not set them. Default 1 000. */
  pollInterval?: number;
  /** The most tasks at the same time; the next call that would become a task is refused with -32603. Default 10 000. */
  maxTasks?: number;
  /**
   * The most tasks of one principal. Default 100. Without a principal the same number holds for one session, and in each process for one
   * client address. Callers that have none of these share `maxTasks`.
   */
  maxTasksPerPrincipal?: number;
  /** The most characters of a task's result as JSON; with more the task fails. Default 1 Mi. */
  maxResultSize?: number;
  /**
   * Milliseconds after which a task is abandoned if its process does not renew the lease; then it is taken over or fails. Must be longer
   * than any pause of a process. Default 30 000.
   */
  lease?: number;
  /** Milliseconds a client waits for a task in total, if the call sets no limit; then the task is cancelled. Default 86 400 000 (1 day). */
  maxWait?: number;
  /** Called when a task begins to run in this process, and when that run ends. `taskMetrics()` of `tenon/otel` measures them. */
  onRun?: (event: TaskEvent) => void;
}

const TASKS_OPTIONS: OptionKeys<TasksOptions> = {
  store: 1,
  ttl: 1,
  maxTtl: 1,
  pollInterval: 1,
  maxTasks: 1,
  maxTasksPerPrincipal: 1,
  maxResultSize: 1,
  lease: 1,
  maxWait: 1,
  onRun: 1,
};

export interface TasksSettings extends Required<Omit<TasksOptions, "onRun" | "store">>, Pick<TasksOptions, "onRun" | "store"> {
  /** Whether the store may hold tasks of other processes. */
  readonly shared: boolean;
}

const DEFAULTS = {
  ttl: 3_600_000,
  maxTtl: 86_400_000,
  pollInterval: 1_000,
  maxTasks: 10_000,
  maxTasksPerPrincipal: 100,
  maxResultSize: 2 ** 20,
  lease: 30_000,
  maxWait: 86_400_000,
};
const DURATIONS = ["ttl", "maxTtl", "pollInterval", "lease", "maxWait"] as const;
const COUNTS = ["maxTasks", "maxTasksPerPrincipal", "maxResultSize"] as const;

/** Adds the defaults. @throws RangeError if an option has a wrong value */
export function settingsOf(options: TasksOptions): TasksSettings {
  assertKnown("tasks()", options, TASKS_OPTIONS);
  const settings = { ...DEFAULTS, ...options, shared: options.store !== undefined };
  for (const name of DURATIONS) assertLifetime(name, settings[name]);
  for (const name of COUNTS)
    if (!(settings[name] >= 1)) throw new RangeError(`Option "${name}" must be a number >= 1, not ${settings[name]}`);
  return settings;
}

/** @throws RangeError if `ms` is not a finite number above 0 */
export function assertLifetime(name: string, ms: number): void {
  if (assertDuration(name, ms) === 0 || ms === Infinity) {
    throw new RangeError(`Option "${name}" must be a number of milliseconds > 0, not ${ms}`);
  }
}
