/**
 * The ids that servers have given to tasks, so that no id names two of them: the client of the second would be shown the first, or the
 * owner of the first the second.
 *
 * They are kept in memory for as long as the connection. If callers of different principals share a lane, they are kept for as long as the lane.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Lane } from "../servers/lane.ts";
import { TaskIds } from "./task-ids.ts";

/** Most ids that are kept for one connection. The oldest is forgotten: it protects nothing that a client still holds open. */
const MAX_IDS = 10_000;

const idsOf = new WeakMap<object, TaskIds>();

/** Whether the result of a call is a new task, in either form. */
export function isNewTask({ resultType, task }: JsonObject): boolean {
  return resultType === "task" || isJsonObject(task);
}

/** Notes the id of a new task. @throws McpError -32603 if the server has given it to another task */
export function assertNewTask(lane: Lane, result: JsonObject): void {
  const { taskId } = isJsonObject(result["task"]) ? result["task"] : result;
  const keeper = lane.isShared ? lane : lane.connection;
  if (typeof taskId !== "string" || keeper === undefined) return;
  const ids = idsOf.get(keeper) ?? new TaskIds(MAX_IDS);
  idsOf.set(keeper, ids);
  if (ids.has(taskId)) {
    const message = `Server "${lane.server}" has given a new task the id of another one. The call may have had its effect`;
    throw new McpError(ErrorCode.InternalError, message, { server: lane.server, reason: "duplicate" });
  }
  ids.add(taskId);
}
