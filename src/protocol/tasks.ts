/** Tasks as 2025-11-25 has them in its core. The tasks extension of later revisions has shapes of its own. */
import type { Meta, NotificationParams, PaginatedResult, RequestParams, Result } from "./base.ts";

/** How far a task is (N5). It begins as `"working"`; what is completed, failed or cancelled stays so. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** Asks for a request to become a task. */
export type TaskMetadata = {
  /** Milliseconds the receiver should keep the task. */
  ttl?: number;
};
/** Params of a request that may become a task: it does where `task` is there and the receiver takes such requests (N1, N2). */
export type TaskAugmentedRequestParams = RequestParams & { task?: TaskMetadata };
/** The value of the `_meta` key that ties a message to a task, by its `taskId` (TK-16). */
export type RelatedTaskMetadata = { taskId: string };

/** What there is to know of a task but its result (N2). */
export type Task = {
  /** Chosen by whoever runs it. Security: where there is no authorization, whoever knows it has the task (N4). */
  taskId: string;
  /** Read it before anything else: it decides what to do next. */
  status: TaskStatus;
  /** For people: what it is doing, or why it ended so. */
  statusMessage?: string;
  /** When it began, in ISO 8601. */
  createdAt: string;
  /** When it changed last, in ISO 8601. */
  lastUpdatedAt: string;
  /** Milliseconds from creation until the task may be deleted; `null` for never. */
  ttl: number | null;
  /** Milliseconds to wait between two looks. */
  pollInterval?: number;
};

/** The answer to a request that has become a `task` (N2). */
export type CreateTaskResult = Result & { task: Task };
/** Names one task by its `taskId` (N6). */
export type TaskRequestParams = RequestParams & { taskId: string };
/** How far the task is (N6). */
export type GetTaskResult = Result & Task;
/** The task, which is cancelled now (N6). */
export type CancelTaskResult = Result & Task;
/** One page of the `tasks` of whoever asks (N6). */
export type ListTasksResult = PaginatedResult & { tasks: readonly Task[] };
/** What the request behind the task would have answered; `_meta` says which task that is (N6, N8). */
export type GetTaskPayloadResult = { _meta?: Meta; [member: string]: unknown };
/** A task has come further. Not every step is told: whoever needs to know asks (N9). */
export type TaskStatusNotificationParams = NotificationParams & Task;
