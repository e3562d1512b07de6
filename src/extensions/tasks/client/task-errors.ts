/** What waiting for a task can end with, besides what the task itself failed with. */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";

/** Somebody cancelled the task: another client, or the server. `data` is `{ taskId }`. */
export class TaskCancelledError extends McpError {
  override name = "TaskCancelledError";

  /** The task that was cancelled. */
  readonly taskId: string;

  /** Default message: `The task was cancelled`. */
  constructor(taskId: string, message?: string) {
    super(ErrorCode.InvalidRequest, message ?? "The task was cancelled", { taskId });
    this.taskId = taskId;
  }
}
