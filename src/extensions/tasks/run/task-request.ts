/**
 * The request a handler works for once its call is a task: there is nobody behind it who waits.
 *
 * Questions go into the task. What is told on the way (progress, log messages) goes where the revision has a way for it:
 * beside whoever waits for the result, or on the connection the call came from (2025-11-25); else progress becomes the
 * status message of the task (O11).
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../../../jsonrpc/message.ts";
import { NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import { RELATED_TASK_META_KEY } from "../../../protocol/meta-keys.ts";
import type { InboundRequest, LeakedHandlers, RawResult } from "../../../dispatch/dispatcher.ts";
import type { TransportContext } from "../../../transport/transport-context.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { TaskRun } from "./task-run.ts";

/** What can be asked of a client. */
const QUESTIONS: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/** Sends a notification to the client of a task. */
export type Tell = (method: string, params: JsonObject) => MaybePromise<void>;

export class TaskRequest implements InboundRequest {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly transport: TransportContext;
  leaks: LeakedHandlers | undefined;
  readonly #run: TaskRun;
  /** Undefined where the revision has no way. */
  readonly #tell: Tell | undefined;
  /** Questions that were asked without a name. */
  #unnamed = 0;

  /** @param transport what the call came on: it knows who asked and what they may */
  constructor(run: TaskRun, requestId: RequestId, transport: TransportContext, tell: Tell | undefined) {
    const { method, params } = run.record.call;
    this.requestId = requestId;
    this.transport = transport;
    this.method = method;
    this.params = params;
    this.#run = run;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get cancelled(): boolean {
    return this.#run.signal.aborted;
  }

  request(method: string, params?: JsonObject): Promise<JsonObject> {
    if (!QUESTIONS.has(method)) return Promise.reject(new NoBackChannelError(method));
    return this.#run.ask(`request-${++this.#unnamed}`, { method, params } as InputRequest); // encoded by the codec
  }

  /** Nothing is told of a task that has ended (G8). */
  notify(method: string, params: JsonObject = {}): MaybePromise<void> {
    if (this.cancelled) return undefined;
    if (this.#tell !== undefined) return this.#tell(method, withRelatedTask(this.#run.id, params));
    if (method === "notifications/progress") this.#run.status(describeProgress(params));
    return undefined;
  }

  encode(result: JsonObject): RawResult {
    return result;
  }

  /** Nobody waits who could be let go of, be left without an answer, or lose patience. */
  ignore(): void {
    return undefined;
  }

  keepOpen(): void {
    return undefined;
  }

  stop(): void {
    return undefined;
  }

  release(): void {
    return undefined;
  }
}

/** Params that say which task they belong to (N8). */
export function withRelatedTask(taskId: string, params: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : undefined;
  return { ...params, _meta: { ...meta, [RELATED_TASK_META_KEY]: { taskId } } };
}

/** Params that ask for progress, so that it is told even to clients that did not: as the status of the task. */
export function withProgress(params: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : undefined;
  return { ...params, _meta: { progressToken: "task", ...meta } };
}

/** Progress for those who only read status messages. */
function describeProgress({ progress, total, message }: JsonObject): string {
  if (typeof message === "string") return message;
  return typeof total === "number" ? `${String(progress)} of ${total}` : String(progress);
}

/** The clients that wait for the result of a task here: what it tells goes to the last of them. */
export class Waiters {
  readonly #contexts = new Map<string, Set<RequestContext>>();

  add(taskId: string, context: RequestContext): () => void {
    const contexts = this.#contexts.get(taskId) ?? new Set();
    this.#contexts.set(taskId, contexts.add(context));
    return () => {
      contexts.delete(context);
      if (contexts.size === 0 && this.#contexts.get(taskId) === contexts) this.#contexts.delete(taskId);
    };
  }

  last(taskId: string): RequestContext | undefined {
    return [...(this.#contexts.get(taskId) ?? [])].at(-1);
  }
}
