/**
 * A task as it is kept: everything another process needs to answer for it, and to go on with it.
 *
 * Plain JSON, changed only as a whole: each change is a new record with the next version, put in the place of the one
 * it was made from. Forms of the wire are in `extension-form.ts` and `experimental-form.ts`.
 */
import type { ErrorData } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { AuthInfo } from "../../../auth/resource-server/auth-info.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import type { TaskStatus } from "../../../protocol/tasks.ts";
import type { ProtocolVersion } from "../../../protocol/versions.ts";
import type { ClientIdentity } from "../../../wire/codec.ts";

/** A task as it is kept. A change is a new record in the place of the version before; times are in milliseconds since 1970. */
export interface TaskRecord {
  /** Cannot be guessed (O14, N4). */
  readonly id: string;
  /** Whose it is: for everybody else it does not exist. */
  readonly owner: string;
  /** Changes so far. */
  readonly version: number;
  /** How far it is. Final once it has ended (N5). */
  readonly status: TaskStatus;
  /** For people: what it is doing, or why it ended so. */
  readonly statusMessage?: string;
  /** Milliseconds since 1970, as the others. */
  readonly createdAt: number;
  /** When what others see of it changed last. */
  readonly updatedAt: number;
  /** Milliseconds from `createdAt` until it is forgotten. */
  readonly ttl: number;
  /** Milliseconds between two looks, as clients are told. */
  readonly pollInterval: number;
  /** The request that became it. */
  readonly call: TaskCall;
  /** Whether another process may run it again. */
  readonly restart: boolean;
  /** Runs so far: what an earlier one still says does not count. */
  readonly run: number;
  /** Runs so far, without those that a closing server handed back. */
  readonly tries: number;
  /** The `tries` after which the task fails, if the process of the last one is gone. */
  readonly maxRuns: number;
  /** What need not be done again. */
  readonly journal: TaskJournal;
  /** What waits for an answer. */
  readonly questions: readonly TaskQuestion[];
  /** How it ended; there from then on. */
  readonly outcome?: TaskOutcome;
}

/** The request that became a task. */
export interface TaskCall {
  /** Of the request: `tools/call`. */
  readonly method: string;
  /** As they were checked; arguments included, which may be secrets. */
  readonly params: JsonObject;
  /** The revision it is answered in. */
  readonly version: ProtocolVersion;
  /** Who the client said it is, and what it can do. */
  readonly client: ClientIdentity;
  /** Who asked, as the endpoint and the middleware made sure of it; without the token. */
  readonly principal?: string;
  /** What `ctx.auth` is when it runs again. */
  readonly auth?: AuthInfo;
}

/** What has happened in it already. Lists of entries, so that no name is special. */
export interface TaskJournal {
  /** The id of the call, which only the server knows: the keys of its steps are made of it. */
  readonly call?: string;
  /** Name and mark of the question, answer. */
  readonly answers: readonly (readonly [string, string, JsonObject])[];
  /** Name and mark of the question, the error it was answered with (2025-11-25). */
  readonly refusals: readonly (readonly [string, string, ErrorData])[];
  /** Name and value; no value for a step that returned nothing. */
  readonly steps: readonly (readonly [string, unknown?])[];
  /** Keys that questions have had: none is used twice (O8). */
  readonly keys: readonly string[];
}

/** A question of the handler that waits for its answer. */
export interface TaskQuestion {
  /** What clients answer it by. */
  readonly key: string;
  /** What the handler calls it. */
  readonly name: string;
  /** Tells it from another question of that name. */
  readonly mark: string;
  /** What is asked. */
  readonly request: InputRequest;
}

/** How a task ended (O7, N6): the `result`, or the `error` the request would have been answered with. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ErrorData };

export const EMPTY_JOURNAL: TaskJournal = { answers: [], refusals: [], steps: [], keys: [] };

/** Completed, failed and cancelled are final (N5). */
export function hasEnded({ status }: Pick<TaskRecord, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

export function hasExpired({ createdAt, ttl }: Pick<TaskRecord, "createdAt" | "ttl">, now: number): boolean {
  return now >= createdAt + ttl;
}

/** The task with how it ended. */
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

/** The task with further questions, each under a key that none has had. */
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

/** The task with one question less, and what it was answered. */
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
