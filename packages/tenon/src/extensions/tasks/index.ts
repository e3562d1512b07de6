/** `tenon/ext/tasks`: long calls that continue after their response. See docs/servers/tasks.md. */
export { tasks, type TasksExtension } from "./tasks.ts";
export type { TasksOptions } from "./options.ts";
export {
  checkTasksCapability,
  ExperimentalServerSessionFeatures,
  experimentalTasks,
  requireTaskAugmentedElicitation,
  requireTaskAugmentedSampling,
  type AsTaskOptions,
  type PollTaskOptions,
} from "./server/experimental-session.ts";
export { MODEL_IMMEDIATE_RESPONSE_KEY, RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
export { TaskCancelledError } from "./client/task-errors.ts";
export { MemoryTaskStore, type MemoryTaskStoreOptions } from "./store/memory-task-store.ts";
export type { TaskCounts, TaskLease, TaskPlace, TaskStore } from "./store/task-store.ts";
export type { TaskCall, TaskJournal, TaskOutcome, TaskQuestion, TaskRecord } from "./store/task-record.ts";
export type {
  RemoteTask,
  TaskCallback,
  TaskContext,
  TaskEvent,
  TaskResult,
  TaskToolOptions,
  TaskWaitOptions,
} from "../../session/tasks.ts";
