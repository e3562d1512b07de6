/** The wire form of tasks on 2025-11-25: a state; the result is a separate request. */
import type { Task, TaskStatus } from "../../../protocol/tasks.ts";
import type { TaskRecord } from "../store/task-record.ts";

export function toTask(record: TaskRecord): Task {
  const { id, statusMessage, createdAt, updatedAt, ttl, pollInterval } = record;
  return {
    taskId: id,
    status: toStatus(record),
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttl,
    pollInterval,
  };
}

/** The status. On 2025-11-25 a result with `isError` means failed; in the extension it means completed. */
function toStatus({ status, outcome }: TaskRecord): TaskStatus {
  return outcome && "result" in outcome && outcome.result["isError"] === true ? "failed" : status;
}
