/** Tasks as 2025-11-25 writes them: a state, and its result elsewhere (N2, N4, N10). */
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

/** A tool that answers `isError` has failed here (N10); for the extension that is a result like any other (O12). */
function toStatus({ status, outcome }: TaskRecord): TaskStatus {
  return outcome && "result" in outcome && outcome.result["isError"] === true ? "failed" : status;
}
