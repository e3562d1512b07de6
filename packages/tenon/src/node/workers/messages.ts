/**
 * What the primary process and the workers of `serveHttp({ workers })` send each other, over the channel that Node gives a child process.
 *
 * Every message is in a member of its own, so that messages of the program pass beside them.
 */
import { LimitExceededError, McpError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { SharedStoreName } from "../../base/worker-host.ts";

/** A store that workers call: a store of the host, or how they hear the changes of tasks and take the locks of logins. */
export type CalledStore = SharedStoreName | "taskChanges" | "locks";

export type StoreCall = readonly [id: number, store: CalledStore, method: string, args: readonly unknown[]];
/** Its outcome: what the method returned, or why it failed. */
export type StoreOutcome = readonly [id: number, isOk: boolean, value: unknown];

/** What a worker sends. `hello` is its first message, `failed` the last of one that cannot serve. */
export type FromWorker =
  | { readonly kind: "hello" }
  | { readonly kind: "serving" }
  | { readonly kind: "failed"; readonly message: string; readonly code?: string }
  | { readonly kind: "calls"; readonly calls: readonly StoreCall[] };

/** How many workers there are, how many of them serve, and whether all of them are about to end. */
export interface WorkersState {
  readonly workers: number;
  readonly serving: number;
  /** False until all workers have served at the same time once. */
  readonly begun: boolean;
  readonly leaving: boolean;
}

/** What the primary process sends. `end`: drain for `ms` milliseconds, or close at once, and end the process. */
export type ToWorker =
  | { readonly kind: "welcome"; readonly key: Uint8Array; readonly port: number; readonly workers: WorkersState }
  | { readonly kind: "workers"; readonly workers: WorkersState }
  | { readonly kind: "outcomes"; readonly outcomes: readonly StoreOutcome[] }
  | { readonly kind: "tell"; readonly topic: string; readonly message: string }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals }
  | { readonly kind: "end"; readonly ms: number | undefined; readonly how: "drain" | "close" };

/** The name of the member that has the message. */
const MEMBER = "tenon";

export function wrapped(message: FromWorker | ToWorker): object {
  return { [MEMBER]: message };
}

/** The message in what arrived; undefined if it is one of the program. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows which side it is
export function messageIn<T extends FromWorker | ToWorker>(received: unknown): T | undefined {
  return (received as { [MEMBER]?: T } | null)?.[MEMBER]; // the other process runs the same program
}

interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code?: number;
  readonly data?: unknown;
}

/** An error in the form in which it is sent: Node sends the class of built-in errors only. */
export function sentError(error: unknown): SentError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return McpError.isMcpError(error) ? { name, message, code: error.code, data: error.data } : { name, message };
}

/** The error that a store in this process would have thrown. */
export function receivedError(value: unknown): Error {
  const { name, message, code, data } = value as SentError; // `sentError` made it
  if (name === "RangeError") return new RangeError(message);
  if (name === "TypeError") return new TypeError(message);
  if (name === "McpUsageError") return new McpUsageError(message);
  if (code === undefined) return new Error(message);
  if (name !== "LimitExceededError") return new McpError(code, message, data);
  const { limit, max, actual } = data as { limit: string; max: number; actual?: number }; // the data of that class
  return new LimitExceededError(limit, max, actual, code);
}

export const METHODS: Readonly<Record<CalledStore, readonly string[]>> = {
  keyed: ["read", "swap", "renew", "join", "leave", "next"],
  events: ["open", "append", "add", "read", "adopt", "drop"],
  states: ["put", "get", "claim"],
  proofs: ["put", "get", "claim"],
  tasks: ["insert", "get", "replace", "lease", "release", "abandoned", "list", "forget"],
  logins: ["get", "set", "delete"],
  rates: ["take"],
  bus: ["publish", "open", "close"],
  taskChanges: ["open"],
  locks: ["acquire", "release"],
};
