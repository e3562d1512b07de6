/** Tasks as 2025-11-25 has them in its core. The tasks extension of later revisions has shapes of its own. */
import type { Meta, NotificationParams, PaginatedResult, RequestParams, Result } from "./base.ts";

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Asks for a request to become a task. */
export type TaskMetadata = {
  /** Milliseconds the receiver should keep the task. */
  ttl?: number;
};
export type TaskAugmentedRequestParams = RequestParams & { task?: TaskMetadata };
/** The value of the `_meta` key that ties a message to a task. */
export type RelatedTaskMetadata = { taskId: string };

export type Task = {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from creation until the task may be deleted; `null` for never. */
  ttl: number | null;
  /** Milliseconds to wait between two looks. */
  pollInterval?: number;
};

export type CreateTaskResult = Result & { task: Task };
export type TaskRequestParams = RequestParams & { taskId: string };
export type GetTaskResult = Result & Task;
export type CancelTaskResult = Result & Task;
export type ListTasksResult = PaginatedResult & { tasks: readonly Task[] };
/** What the request behind the task would have answered. */
export type GetTaskPayloadResult = { _meta?: Meta; [member: string]: unknown };
export type TaskStatusNotificationParams = NotificationParams & Task;
