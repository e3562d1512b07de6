/**
 * Tasks as handlers and callers see them: types only. What runs them is the tasks extension (`extensions/tasks/`).
 */
import type { Task } from "../protocol/tasks.ts";
import type { CallToolResult } from "../protocol/tools.ts";
import type { ProgressCallback } from "../dispatch/dispatcher.ts";

/** How the calls of a tool become tasks. */
export interface TaskToolOptions {
  /** What becomes of callers that know no tasks: they wait for the answer, or are refused. Default `"optional"`. */
  support?: "optional" | "required";
  /** Milliseconds a task is kept from its beginning; then its handler is aborted and it is gone. Default: the extension's `ttl`. */
  ttl?: number;
  /** Milliseconds clients are told to wait between two looks. Default: the extension's `pollInterval`. */
  pollInterval?: number;
  /**
   * When a call becomes a task. `"call"`: at once. `"handler"`: when the handler says `ctx.task.start()`; what it asks
   * before is asked in rounds of the call, and what it returns before is the answer (O3, O6). Default `"call"`; where clients ask
   * for tasks themselves (2025-11-25) always at once.
   */
  start?: "call" | "handler";
  /**
   * Whether another process may run the handler again when the one that ran it is gone. Steps that have run and
   * questions that were answered are not repeated, everything else is. Default false: the task fails.
   */
  restart?: boolean;
  /**
   * With `restart`: how many runs a task may have whose process was gone before the run had ended; then it fails, and `onError`
   * is told. Before each run but the first the task waits, each time longer. Runs that `server.close()` hands back do not
   * count. Bounds what a task can do that ends the process it runs in. Default 3.
   */
  maxRuns?: number;
}

/** The task a handler runs in: `ctx.task`. */
export interface TaskContext {
  /** Undefined where the call is no task, or not yet. */
  readonly id: string | undefined;
  /** The call becomes a task now, where it can: its caller is answered, and the handler goes on by itself. */
  start(): Promise<void>;
  /** Tells clients what the task is doing, in words. Does nothing where there is no task. */
  status(message: string): void;
}

/** Told of a task when it begins and after each change. */
export type TaskCallback = (task: Task) => void;

/** How long to wait for a task, and who is told of it meanwhile. All times are in milliseconds. */
export interface TaskWaitOptions {
  /** Ends the wait, and cancels the task. */
  signal?: AbortSignal;
  /** Milliseconds each request about the task may take. Default: the connection's. */
  timeout?: number;
  /** Milliseconds to wait for the task in all; then it is cancelled. Default: the extension's `maxWait`. */
  maxTotalTimeout?: number;
  /** Told of the task when it begins and after each change. */
  onTask?: TaskCallback;
  /** Told of progress, where the revision has it for tasks (2025-11-25). */
  onProgress?: ProgressCallback;
}

/** What the call would have been answered (O7): its `text`, and its structured content as `data`, are at hand. */
export type TaskResult = CallToolResult & { readonly text: string; readonly data?: unknown };

/** A task on a server, by its id: `client.task(id)`. */
export interface RemoteTask {
  /** As the server wrote it. */
  readonly taskId: string;
  /** How it stands. @throws McpError -32602 for a task the server does not know (any more) */
  get(options?: { signal?: AbortSignal; timeout?: number }): Promise<Task>;
  /**
   * Waits for its result, and answers what it asks meanwhile by the callbacks of the client.
   * @throws McpError what it failed with; `TaskCancelledError` where it was cancelled
   */
  result(options?: TaskWaitOptions): Promise<TaskResult>;
  /** Asks the server to give it up. Resolves when the server has heard; a task that has ended stays as it is. */
  cancel(options?: { signal?: AbortSignal; timeout?: number }): Promise<void>;
}
