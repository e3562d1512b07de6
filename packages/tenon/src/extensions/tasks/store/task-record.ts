/**
 * A stored task: everything that another process needs to report it and to continue it.
 *
 * It is plain JSON and changes only as a whole: each change is a new record with the next version that replaces the one before. The wire
 * forms are in `../forms/extension-form.ts` and `../forms/experimental-form.ts`.
 */
import type { Progress } from "../../../dispatch/dispatcher.ts";
import type { ErrorData } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { TaskStatus } from "../../../protocol/tasks.ts";
import type { ProtocolVersion } from "../../../protocol/versions.ts";
import type { ClientIdentity } from "../../../wire/codec.ts";

/** A stored task. A change is a new record that replaces the version before. Times are in milliseconds since 1970. */
export interface TaskRecord {
  /** The id of the task; random, so that it cannot be guessed. */
  readonly id: string;
  /** The owner. For other callers the task does not exist. */
  readonly owner: string;
  /** Grows by 1 with each change. */
  readonly version: number;
  /** The status. It is final when the task has ended. */
  readonly status: TaskStatus;
  /** For users: what the task is doing, or why it ended. */
  readonly statusMessage?: string;
  /** The newest progress that the handler has reported. */
  readonly progress?: Progress;
  /** When it began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When a visible part of it changed last. */
  readonly updatedAt: number;
  /** Milliseconds from `createdAt` until it expires. */
  readonly ttl: number;
  /** Milliseconds between two polls, for clients. */
  readonly pollInterval: number;
  /** The request that became this task. */
  readonly call: TaskCall;
  /** Whether another process may run the handler again. */
  readonly restart: boolean;
  /** The number of runs. Changes of an earlier run are ignored. */
  readonly run: number;
  /** The number of runs, without those that a closing server gave back. */
  readonly tries: number;
  /** The most `tries`. After them the task fails when its process is gone. */
  readonly maxRuns: number;
  /** The answers and steps so far. */
  readonly journal: TaskJournal;
  /** The open questions. */
  readonly questions: readonly TaskQuestion[];
  /** The outcome; present when the task has ended. */
  readonly outcome?: TaskOutcome;
}

/** The request that became a task. */
export interface TaskCall {
  /** The method of the request: `tools/call`. */
  readonly method: string;
  /** The checked params. Security: the arguments may be secret. */
  readonly params: JsonObject;
  /** The revision of the request. */
  readonly version: ProtocolVersion;
  /** The client's name and capabilities. */
  readonly client: ClientIdentity;
  /** The principal that was authenticated; without the token. */
  readonly principal?: string;
  /** The value of `ctx.auth` when another process runs the task. */
  readonly auth?: AuthInfo;
}

/** The answers and steps of a task so far. They are lists, so that any name is allowed. */
export interface TaskJournal {
  /** The id of the call, which only the server knows. The keys of its steps contain it. */
  readonly call?: string;
  /** Name and mark of the question, and its answer. */
  readonly answers: readonly (readonly [string, string, JsonObject])[];
  /** Name and mark of the question, and the client's error (2025-11-25). */
  readonly refusals: readonly (readonly [string, string, ErrorData])[];
  /** Name and value; no value if the step returned undefined. */
  readonly steps: readonly (readonly [string, unknown?])[];
  /** The keys of all questions so far. Each key is used once. */
  readonly keys: readonly string[];
}

/** An open question of the handler. */
export interface TaskQuestion {
  /** The key under which clients answer. */
  readonly key: string;
  /** The name that the handler gave it. */
  readonly name: string;
  /** Distinguishes it from another question of the same name. */
  readonly mark: string;
  /** The question itself. */
  readonly request: InputRequest;
}

/** How a task ended: with the `result` or the `error` of its request. */
export type TaskOutcome =
  | {
      /** The result of the request. */
      readonly result: JsonObject;
    }
  | {
      /** The error of the request. */
      readonly error: ErrorData;
    };

export const EMPTY_JOURNAL: TaskJournal = { answers: [], refusals: [], steps: [], keys: [] };

export function hasEnded({ status }: Pick<TaskRecord, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function hasExpired({ createdAt, ttl }: Pick<TaskRecord, "createdAt" | "ttl">, now: number): boolean {
  return now >= createdAt + ttl;
}

export function withOutcome(record: TaskRecord, outcome: TaskOutcome): TaskRecord {
  const { statusMessage: _, ...rest } = record;
  const failed = "error" in outcome;
  return {
    ...rest,
    status: failed ? "failed" : "completed",
    ...(failed && { statusMessage: outcome.error.message }),
    questions: [],
    outcome,
  };
}

export function asCancelled(record: TaskRecord): TaskRecord {
  return { ...record, status: "cancelled", statusMessage: "The task was cancelled", questions: [] };
}

/** The task with more questions, each under a new key. */
export function withQuestions(record: TaskRecord, questions: readonly Omit<TaskQuestion, "key">[]): TaskRecord {
  const keys = new Set(record.journal.keys);
  const added = questions.map((question) => {
    let key = question.name;
    for (let count = 2; keys.has(key); count++) key = `${question.name}-${count}`;
    keys.add(key);
    return { ...question, key };
  });
  const journal = { ...record.journal, keys: [...keys] };
  return { ...record, status: "input_required", journal, questions: [...record.questions, ...added] };
}

export function withAnswer(record: TaskRecord, key: string, answer: { result: JsonObject } | { error: ErrorData }): TaskRecord {
  const question = record.questions.find((open) => open.key === key);
  if (question === undefined) return record;
  const { name, mark } = question;
  const { journal } = record;
  const questions = record.questions.filter((open) => open !== question);
  const told: TaskJournal =
    "result" in answer
      ? { ...journal, answers: [...journal.answers, [name, mark, answer.result]] }
      : { ...journal, refusals: [...journal.refusals, [name, mark, answer.error]] };
  return { ...record, status: questions.length > 0 ? "input_required" : "working", journal: told, questions };
}
