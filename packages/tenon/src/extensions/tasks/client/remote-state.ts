/** The state of a task on a server: checked, and converted from either wire form to one. */
import type { JsonObject } from "../../../jsonrpc/message.ts";
import { isJsonObject } from "../../../jsonrpc/message.ts";
import { type McpError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import { reviveError } from "../../../protocol/error-revival.ts";
import type { InputRequests } from "../../../protocol/input-required.ts";
import type { Task, TaskStatus } from "../../../protocol/tasks.ts";
import type { CallToolResult } from "../../../protocol/tools.ts";
import { PROGRESS_KEY } from "../../../protocol/tenon-keys.ts";
import { toProgress } from "../../../dispatch/progress.ts";
import type { Progress } from "../../../dispatch/dispatcher.ts";
import type { Codec } from "../../../wire/codec.ts";
import { LENIENT, type Reading } from "../../../wire/deviations.ts";

export interface RemoteState {
  readonly task: Task;
  /** The newest progress, if the server tells it. */
  readonly progress?: Progress;
  /** The questions, if the state contains them. */
  readonly inputRequests?: InputRequests;
  /** The outcome, if the state contains it. */
  readonly outcome?: { readonly result: CallToolResult } | { readonly error: McpError };
}

const STATUSES: ReadonlySet<unknown> = new Set<TaskStatus>(["working", "input_required", "completed", "failed", "cancelled"]);

/** @throws ProtocolViolationError if the value is not a valid state of the task, or deviates and the reading is strict */
export function toRemoteState(codec: Codec, taskId: string, value: JsonObject, reading: Reading = LENIENT): RemoteState {
  const task = codec.stateless ? toCoreNames(value) : value;
  const problem = problemOf(task, taskId);
  if (problem !== undefined) throw violation(taskId, problem);
  const known = { task: pickTask(task) };
  if (!codec.stateless) return known;
  const meta = value["_meta"];
  const told = isJsonObject(meta) ? meta[PROGRESS_KEY] : undefined;
  const progress = isJsonObject(told) ? toProgress(told) : undefined;
  const state = { ...known, ...(progress && { progress }) };
  const { status } = state.task;
  if (status === "input_required") return { ...state, inputRequests: questionsIn(codec, taskId, value, reading) };
  if (status === "completed") return { ...state, outcome: { result: resultIn(codec, taskId, value, reading) } };
  return status === "failed" ? { ...state, outcome: { error: errorIn(taskId, value) } } : state;
}

/** Renames the times of the extension to the names of the core. */
function toCoreNames({ ttlMs, pollIntervalMs, ...rest }: JsonObject): JsonObject {
  return { ...rest, ttl: ttlMs ?? null, ...(pollIntervalMs !== undefined && { pollInterval: pollIntervalMs }) };
}

function problemOf({ taskId, status, createdAt, lastUpdatedAt, ttl, pollInterval }: JsonObject, wanted: string): string | undefined {
  if (taskId !== wanted) return "is another task's";
  if (!STATUSES.has(status)) return "has an unknown status";
  if (typeof createdAt !== "string" || typeof lastUpdatedAt !== "string") return "has no times";
  if (ttl !== null && typeof ttl !== "number") return "has a time to live that is not a number";
  return (pollInterval ?? undefined) === undefined || typeof pollInterval === "number"
    ? undefined
    : "has a poll interval that is not a number";
}

/** The members of a task, without others. */
function pickTask(value: JsonObject): Task {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttl, pollInterval } = value as Task; // just checked
  const message = typeof statusMessage === "string" && { statusMessage };
  return { taskId, status, ...message, createdAt, lastUpdatedAt, ttl, ...(typeof pollInterval === "number" && { pollInterval }) };
}

/** The questions, checked as in a result. @throws ProtocolViolationError */
function questionsIn(codec: Codec, taskId: string, { inputRequests }: JsonObject, reading: Reading): InputRequests {
  if (!isJsonObject(inputRequests)) throw violation(taskId, "asks nothing");
  return codec.decodeResult("tools/call", { resultType: "input_required", inputRequests }, undefined, reading)[
    "inputRequests"
  ] as InputRequests; // just checked
}

/** The result. Some servers omit its `resultType`. @throws ProtocolViolationError */
function resultIn(codec: Codec, taskId: string, { result }: JsonObject, reading: Reading): CallToolResult {
  if (!isJsonObject(result)) throw violation(taskId, "is completed without a result");
  return codec.decodeResult("tools/call", result, undefined, reading) as CallToolResult; // just checked
}

function errorIn(taskId: string, { error }: JsonObject): McpError {
  if (!isJsonObject(error) || !Number.isInteger(error["code"]) || typeof error["message"] !== "string") {
    throw violation(taskId, "has failed without an error");
  }
  return reviveError({ code: error["code"] as number, message: error["message"], data: error["data"] });
}

function violation(taskId: string, problem: string): ProtocolViolationError {
  return new ProtocolViolationError(`The state of task ${JSON.stringify(taskId)} ${problem}`, { taskId });
}
