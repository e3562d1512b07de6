/** A request that a client sends, and the options of a call. */
import { assertKnown, type OptionKeys } from "../../base/known-options.ts";
import type { RequestMeta } from "../../protocol/base.ts";
import type { AnySchema } from "../../schema/standard-schema.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { QuestionRelay } from "../../session/asking/questions/question-relay.ts";
import type { HandlerContext } from "../../session/handler.ts";
import type { ServerEndpoint } from "../../transport/transport-context.ts";
import type { TaskCallback } from "../../session/tasks.ts";

/** Options of a single call: time limits (ms), a signal, progress, headers. */
export interface CallOptions extends RequestOptions {
  /** Members for the request's `_meta`, beside the protocol's. */
  meta?: RequestMeta;
  /** @internal What the callbacks for the questions in its result may pass them on to. Never on the wire. */
  relay?: QuestionRelay | undefined;
}

/** Options of a request whose result is checked by a schema of the caller. */
export interface ResultOptions<Result extends AnySchema = AnySchema> extends CallOptions {
  /** The schema of the result, which also types it: a Standard Schema or a JSON Schema. */
  result: Result;
}

/** Options of a tool call: the options of any call, output checks, and tasks. */
export interface ToolCallOptions extends CallOptions {
  /** Whether the result is checked against the tool's output schema. Default: the client's option. */
  validateOutput?: boolean;
  /**
   * Whether the call may become a task, if the client has the tasks extension. Default true. `ttl` asks the server to keep the
   * task for that many milliseconds (2025-11-25 only).
   */
  task?: boolean | { ttl?: number };
  /** Called when the call becomes a task, and at each change of it. Keep the task's id to get the result later with `client.task(id)`. */
  onTask?: TaskCallback;
}

/** What only Tenon itself passes. It is in no message. */
type InternalOptions = "abort" | "relay" | "onId" | "resultOfCancel" | "question" | "takesErrorWithoutId";
const INTERNAL: OptionKeys<Pick<CallOptions, InternalOptions>> = {
  abort: 1,
  relay: 1,
  onId: 1,
  resultOfCancel: 1,
  question: 1,
  takesErrorWithoutId: 1,
};
const OF_A_CALL: OptionKeys<Omit<CallOptions, InternalOptions>> = {
  timeout: 1,
  maxTotalTimeout: 1,
  resetTimeoutOnProgress: 1,
  signal: 1,
  onProgress: 1,
  requestId: 1,
  cancelOnAbandon: 1,
  metadata: 1,
  meta: 1,
};
const OF_A_TOOL_CALL: OptionKeys<Omit<ToolCallOptions, InternalOptions>> = { ...OF_A_CALL, validateOutput: 1, task: 1, onTask: 1 };

/**
 * Checks the names of the options of one call. This runs for each call, so it makes nothing unless a name is unknown.
 * @throws TypeError if an option does not exist
 */
export function assertCallOptions(method: string, options: object): void {
  const known = method === "tools/call" ? OF_A_TOOL_CALL : OF_A_CALL;
  for (const key in options) {
    if (Object.hasOwn(known, key) || Object.hasOwn(INTERNAL, key)) continue;
    assertKnown(`"${method}"`, { [key]: undefined }, known);
  }
}

/** One request that the client sends, as client middleware sees it. */
export interface OutgoingRequest extends HandlerContext {
  /** The caller's options: time limits, progress and so on. */
  readonly options: CallOptions;
  /** The revision of the request. For the handshake: the revision that is offered. */
  readonly protocolVersion: string;
  /** The kind of transport: `"stdio"`, `"http"`, `"direct"`, or the `kind` of a custom transport. */
  readonly transport: string | undefined;
  /** The server's host and port, over HTTP. */
  readonly endpoint?: ServerEndpoint | undefined;
  /** The name of the server in its group; absent outside a group. */
  readonly server?: string;
  /** @internal Aborts when the session ends; only on the request that opens it. */
  readonly ended?: AbortSignal;
}
