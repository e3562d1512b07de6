/** Tasks as handlers and callers see them: types only. The tasks extension (`extensions/tasks/`) runs them. */
import type { Task, TaskStatus } from "../protocol/tasks.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { ProgressCallback } from "../dispatch/dispatcher.ts";

/** How the calls of a tool become tasks. */
export interface TaskToolOptions {
  /** What happens to callers without support for tasks: they wait for the result, or are refused. Default `"optional"`. */
  support?: "optional" | "required";
  /** Milliseconds that a task is kept from its beginning; then its handler is aborted and it is deleted. Default: the extension's `ttl`. */
  ttl?: number;
  /** Milliseconds that clients should wait between two requests for the status. Default: the extension's `pollInterval`. */
  pollInterval?: number;
  /**
   * When a call becomes a task. `"call"`: at once. `"handler"`: when the handler calls `ctx.task.start()`; questions before that
   * are asked in rounds of the call, and a result before that is the result of the call. Default `"call"`; if clients request tasks
   * themselves (2025-11-25), always at once.
   */
  start?: "call" | "handler";
  /**
   * Whether another process may run the handler again if the process that ran it is gone. Finished steps and answered questions are
   * not repeated, everything else is. Default false: the task fails.
   */
  restart?: boolean;
  /**
   * With `restart`: how many runs of a task may end because their process is gone; then the task fails, and `onError` is called.
   * Before each run but the first the task waits, each time longer. Runs that `server.close()` hands back do not count. It limits
   * the damage of a task that ends its process. Default 3.
   */
  maxRuns?: number;
}

/** The task of a handler: `ctx.task`. */
export interface TaskContext {
  /** Undefined if the call is not a task, or not yet. */
  readonly id: string | undefined;
  /** Makes the call a task now, if it can become one: its caller gets the response, and the handler continues. */
  start(): Promise<void>;
  /** Tells clients in words what the task is doing. Does nothing if the call is not a task. */
  status(message: string): void;
}

/** What the option `onRun` of `tasks()` is called with, at the start and the end of each run of a task. */
export interface TaskEvent {
  /** The name of the tool. */
  readonly tool: string;
  /**
   * `"working"` at the start of a run. At its end how the task ended (`"failed"` also if its tool failed), or `"left"` if the task itself has not ended: it has expired, or
   * another process runs it.
   */
  readonly status: TaskStatus | "left";
  /** Milliseconds since the task began, in this process or another one; 0 at the start of a run. */
  readonly duration: number;
}

/** Called with a task when it begins and after each change. */
export type TaskCallback = (task: Task) => void;

/** How long to wait for a task, and where its status and progress go. All times are in milliseconds. */
export interface TaskWaitOptions {
  /** Ends the wait, and cancels the task. */
  signal?: AbortSignal;
  /** Milliseconds that each request about the task may take. Default: the connection's. */
  timeout?: number;
  /** Milliseconds to wait for the task in all; then it is cancelled. Default: the extension's `maxWait`. */
  maxTotalTimeout?: number;
  /** Called with the task when it begins and after each change. */
  onTask?: TaskCallback;
  /** Called with progress, if the revision has it for tasks (2025-11-25). */
  onProgress?: ProgressCallback;
}

/** The result of the call (MCP schema), with its `text` and its structured content as `data`. */
export type TaskResult = CallToolResult & { readonly text: string; readonly data?: unknown };

/** A task on a server, by its id: `client.task(id)`. */
export interface RemoteTask {
  /** Its id, as the server wrote it. */
  readonly taskId: string;
  /** Its status. @throws McpError -32602 if the server does not know the task (any more) */
  get(options?: { signal?: AbortSignal; timeout?: number }): Promise<Task>;
  /**
   * Waits for its result, and answers its questions meanwhile with the callbacks of the client.
   * @throws McpError the error that it failed with; `TaskCancelledError` if it was cancelled
   */
  result(options?: TaskWaitOptions): Promise<TaskResult>;
  /** Requests its cancellation. Resolves when the server has responded; a task that has ended is not changed. */
  cancel(options?: { signal?: AbortSignal; timeout?: number }): Promise<void>;
}
