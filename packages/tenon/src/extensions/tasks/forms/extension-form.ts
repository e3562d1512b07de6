/** The wire form of tasks in the extension: one object with the state and the questions or the outcome. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { PROGRESS_KEY } from "../../../protocol/tenon-keys.ts";
import { reviveError } from "../../../protocol/error-revival.ts";
import type { Codec } from "../../../wire/codec.ts";
import type { TaskRecord } from "../store/task-record.ts";

export function toCreated(record: TaskRecord): JsonObject {
  return { resultType: "task", ...toState(record) };
}

/** A task with the members that its status requires: questions, result or error. */
export function toDetailed(record: TaskRecord, codec: Codec): JsonObject {
  const { status, questions, outcome } = record;
  return {
    ...toState(record),
    ...(status === "input_required" && { inputRequests: toInputRequests(record, codec) }),
    ...(questions.length === 0 && outcome && toOutcome(record, outcome, codec)),
  };
}

function toState({ id, status, statusMessage, progress, createdAt, updatedAt, ttl, pollInterval }: TaskRecord): JsonObject {
  return {
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: ttl,
    pollIntervalMs: pollInterval,
    ...(progress !== undefined && { _meta: { [PROGRESS_KEY]: progress } }),
  };
}

/** The questions, encoded as in a result of this revision. */
function toInputRequests({ questions, call }: TaskRecord, codec: Codec): unknown {
  const inputRequests = Object.fromEntries(questions.map(({ key, request }) => [key, request]));
  return codec.encodeResult(call.method, { resultType: "input_required", inputRequests })["inputRequests"];
}

function toOutcome({ call }: TaskRecord, outcome: NonNullable<TaskRecord["outcome"]>, codec: Codec): JsonObject {
  return "result" in outcome
    ? { result: codec.encodeResult(call.method, outcome.result) }
    : { error: codec.encodeError(reviveError(outcome.error)) };
}
