/** The error of a cancelled task. */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";

/** Another client or the server cancelled the task. `data` is `{ taskId }`. */
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
