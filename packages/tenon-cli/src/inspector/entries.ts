/**
 * What the page and its process say to each other: entries go down as lines of JSON, operations come up as requests.
 *
 * Types only, so that the page can import them. An entry with a `place` replaces the earlier entry of that place.
 */
import type { JsonObject } from "tenon";

export type ListKind = "tools" | "resources" | "templates" | "prompts";

/** An error as people read it. */
export interface Failure {
  readonly message: string;
  readonly code?: number | string;
  readonly data?: unknown;
}

/** Why a server cannot be used, and the one thing that helps. */
export interface ConnectionFailure extends Failure {
  /** What to do about it, one sentence or two. */
  readonly remedy?: string;
  /** The button of the page that helps. Default: `connect` */
  readonly action?: "login" | "examine" | "connect";
}

export interface TargetEntry {
  readonly kind: "target";
  readonly target: number;
  readonly name: string;
  /** Its URL or its command, for people. */
  readonly address: string;
  /** How `tenon call` names it. */
  readonly typed: string;
  readonly url?: string;
  readonly command?: readonly string[];
  readonly revisions: readonly string[];
  /** The origin of the sandbox page, in which views of tools are shown. */
  readonly sandbox: string;
  /** The model that can draft answers to sampling questions; absent if all are answered by hand. */
  readonly model?: string;
  /** Whether the page can log in to it. */
  readonly hasLogin: boolean;
}

export interface ConnectionEntry {
  readonly kind: "connection";
  readonly target: number;
  readonly state: "connecting" | "open" | "closed" | "failed";
  readonly revision?: string;
  readonly stateless?: boolean;
  readonly server?: JsonObject;
  readonly capabilities?: JsonObject;
  readonly instructions?: string;
  readonly failure?: ConnectionFailure;
}

/** What hosts or models stumble over, as `tenon check` says it. */
export interface Mark {
  readonly rule: string;
  readonly level: "error" | "warning";
  /** `tool book, argument seats`. */
  readonly where: string;
  readonly message: string;
  /** Why it matters, and what to do. */
  readonly explain: string;
  /** The tool, if it is about one. */
  readonly tool?: string;
}

export interface ListEntry {
  readonly kind: "list";
  readonly target: number;
  readonly of: ListKind;
  readonly items: readonly JsonObject[];
  /** Of tools: what is wrong with them. Absent if there is nothing. */
  readonly marks?: readonly Mark[];
  readonly failure?: Failure;
}

export interface WireEntry {
  readonly kind: "wire";
  readonly target: number;
  /** Whether a client sent it to the server. */
  readonly sent: boolean;
  /** The client, if it is not the page itself: its name, with a number if it has a session. */
  readonly client?: string;
  readonly type: "request" | "notification" | "result" | "error" | "malformed";
  readonly method?: string;
  /** The tool, prompt or resource that a request names. */
  readonly name?: string;
  readonly id?: string | number | null;
  readonly revision: string;
  readonly bytes: number;
  /** Milliseconds from the request to this response. */
  readonly ms?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** How it deviates from its revision, in sentences; absent if it does not. */
  readonly deviations?: readonly string[];
  /** Its trace context: the ids of the trace, and of the span in which it was sent. */
  readonly trace?: { readonly id: string; readonly span: string };
  /** The message as JSON, or its beginning. */
  readonly text: string;
  /** Whether `text` is only the beginning: the operation `load` gets the rest. */
  readonly cut: boolean;
}

export interface CallEntry {
  readonly kind: "call";
  readonly call: string;
  readonly target: number;
  readonly op: "call" | "read" | "prompt" | "ping" | "send";
  readonly name: string;
  readonly params: JsonObject;
  readonly revision: string;
  /** The number of the last entry before the call, and the ids of its requests since: one for each round. */
  readonly after: number;
  readonly ids: readonly (string | number)[];
  readonly state: "running" | "done" | "failed" | "cancelled";
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string };
  readonly task?: JsonObject;
  readonly result?: JsonObject;
  /** Whether the structured content matches the output schema, and what does not. Absent without a schema. */
  readonly issues?: readonly Issue[];
  readonly failure?: Failure;
  readonly ms?: number;
  readonly questions?: number;
}

/** A question of the server that waits for the user, or was answered. */
export interface QuestionEntry {
  readonly kind: "question";
  readonly question: number;
  readonly target: number;
  readonly method: "elicitation/create" | "sampling/createMessage";
  readonly params: JsonObject;
  readonly state: "open" | "answered" | "gone";
  readonly answer?: unknown;
}

export interface NoteEntry {
  readonly kind: "change" | "log" | "stderr" | "problem" | "reload";
  readonly target: number;
  readonly text: string;
  readonly level?: string;
  readonly logger?: string;
  readonly uri?: string;
  readonly data?: unknown;
}

export interface LoginEntry {
  readonly kind: "login";
  readonly target: number;
  readonly state: "asking" | "waiting" | "done" | "failed";
  /** The page of the authorization server that the user must visit. */
  readonly page?: string;
  /** What has happened, for people. */
  readonly text?: string;
}

/** Entries that the process left out, because the page was away for too long. */
export interface GapEntry {
  readonly kind: "gap";
  readonly missed: number;
}

/** State that belongs to the whole process: what is watched, the roots, whether a recording runs. */
export interface StateEntry {
  readonly kind: "state";
  readonly target: number;
  readonly watched: readonly string[];
  readonly roots: readonly JsonObject[];
  readonly level?: string;
  readonly isRecording: boolean;
  readonly steps: readonly RecordedStep[];
  /** The ones that may change something again: calls of tools that do not say that they only read, or can be repeated. */
  readonly changing: number;
}

export interface RecordedStep {
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly hasFailed: boolean;
  /** How many questions it answers. */
  readonly answers: number;
}

export type Entry =
  | TargetEntry
  | ConnectionEntry
  | ListEntry
  | WireEntry
  | CallEntry
  | QuestionEntry
  | NoteEntry
  | LoginEntry
  | GapEntry
  | StateEntry;

/** An entry with its number and its time, in milliseconds since 1970. */
export type Numbered<E extends Entry = Entry> = E & { readonly seq: number; readonly at: number };

export interface ReplayedStep {
  readonly op: CallEntry["op"];
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
  /** Questions that the recording has no answer to. */
  readonly unexpected: readonly string[];
}

/** What became of a request of a view. */
export interface ViewResponse {
  readonly result?: JsonObject;
  readonly failure?: Failure;
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** What the page may ask for. Security: no operation names a program, a file or a URL to connect to. */
export type OperationName =
  | "call"
  | "read"
  | "prompt"
  | "ping"
  | "send"
  | "view"
  | "cancel"
  | "answer"
  | "draft"
  | "complete"
  | "validate"
  | "subscribe"
  | "unsubscribe"
  | "level"
  | "roots"
  | "relist"
  | "speak"
  | "task"
  | "load"
  | "translate"
  | "doctor"
  | "login"
  | "logout"
  | "record"
  | "forget"
  | "replay"
  | "export"
  | "save";
