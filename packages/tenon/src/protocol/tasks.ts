/** Tasks of the core protocol of 2025-11-25. The tasks extension of later revisions has its own shapes. */
import { isRequestId } from "../jsonrpc/message.ts";
import type { Meta, NotificationParams, PaginatedResult, RequestParams, Result } from "./base.ts";

/** The status of a task. It begins as `"working"`; `"completed"`, `"failed"` and `"cancelled"` are final. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Requests that a request becomes a task. */
export type TaskMetadata = {
  /** Milliseconds the receiver should keep the task. */
  ttl?: number;
};
/** Params of a request that may become a task (MCP schema 2025-11-25): it does if `task` is present and the receiver supports it. */
export type TaskAugmentedRequestParams = RequestParams & { task?: TaskMetadata };
/** The value of the `_meta` key that relates a message to a task, by its `taskId` (MCP schema 2025-11-25). */
export type RelatedTaskMetadata = { taskId: string };

/** Everything about a task except its result (MCP schema 2025-11-25). */
export type Task = {
  /** The receiver of the request chooses it. Security: without authorization, everyone who knows the id has access to the task. */
  taskId: string;
  /** Read it before anything else: it decides what to do next. */
  status: TaskStatus;
  /** For people: what the task is doing, or why it ended. */
  statusMessage?: string;
  /** When it began, in ISO 8601. */
  createdAt: string;
  /** When it last changed, in ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from creation until the task may be deleted; `null` for never. */
  ttl: number | null;
  /** Milliseconds to wait between two requests for the status. */
  pollInterval?: number;
};

/** The result of a request that has become a `task` (MCP schema 2025-11-25). */
export type CreateTaskResult = Result & { task: Task };
/** Names one task by its `taskId` (MCP schema 2025-11-25). */
export type TaskRequestParams = RequestParams & { taskId: string };
/** The status of the task. */
export type GetTaskResult = Result & Task;
/** The task, now cancelled. */
export type CancelTaskResult = Result & Task;
/** One page of the caller's `tasks` (MCP schema 2025-11-25). */
export type ListTasksResult = PaginatedResult & { tasks: readonly Task[] };
/** The result of the request that became the task; `_meta` names the task (MCP schema 2025-11-25). */
export type GetTaskPayloadResult = { _meta?: Meta; [member: string]: unknown };
/** The status of a task changed. Not every change is announced: a client that must know requests the status. */
export type TaskStatusNotificationParams = NotificationParams & Task;

/** A unique id for a request of a task. @throws RangeError if the task id is too long for a request id */
export function nextTaskRequestId(taskId: string): string {
  const id = `task-${taskId}-${crypto.randomUUID()}`;
  if (!isRequestId(id)) throw new RangeError(`Task id ${JSON.stringify(taskId.slice(0, 32))} … cannot be part of a request id`);
  return id;
}
