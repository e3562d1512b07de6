/** The error of a store of tasks that has no room for one more: each store, in memory or in an engine, refuses with the same one. */
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";

/** The error for a new task above a limit of the `tasks` extension. */
export function tasksFull(limit: "maxTasks" | "maxTasksPerPrincipal", max: number): LimitExceededError {
  return new LimitExceededError(limit, max, undefined, ErrorCode.InternalError);
}
