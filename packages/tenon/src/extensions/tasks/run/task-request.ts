/**
 * The request of a handler whose call is a task: no caller waits for its response.
 *
 * Questions go into the task. On 2025-11-25, progress and log messages go to a client that waits for the result, else to the connection
 * of the call. On other revisions progress becomes the status message of the task.
 */
import { toProgress } from "../../../dispatch/progress.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../../../jsonrpc/message.ts";
import { NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { InputRequest } from "../../../protocol/input-required.ts";
import { RELATED_TASK_META_KEY } from "../../../protocol/meta-keys.ts";
import type { InboundRequest, LeakedHandlers, RawResult } from "../../../dispatch/dispatcher.ts";
import type { TransportContext } from "../../../transport/transport-context.ts";
import type { RequestContext } from "../../../session/request-context.ts";
import type { TaskRun } from "./task-run.ts";

const QUESTIONS: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

export type Tell = (method: string, params: JsonObject) => MaybePromise<void>;

export class TaskRequest implements InboundRequest {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly transport: TransportContext;
  leaks: LeakedHandlers | undefined;
  readonly #run: TaskRun;
  /** Undefined if the revision has no channel for notifications of tasks. */
  readonly #tell: Tell | undefined;
  /** The number of questions without a name. */
  #unnamed = 0;

  /** @param transport the transport context of the call, with its principal and policy */
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
    return this.#run.ask(`request-${++this.#unnamed}`, { method, params } as InputRequest); // the codec encodes it
  }

  /** Sends a notification, unless the task has ended. */
  notify(method: string, params: JsonObject = {}): MaybePromise<void> {
    if (this.cancelled) return undefined;
    if (this.#tell !== undefined) return this.#tell(method, withRelatedTask(this.#run.id, this.#run.clean(params)));
    if (method === "notifications/progress") this.#run.status(describeProgress(params), toProgress(params));
    return undefined;
  }

  encode(result: JsonObject): RawResult {
    return result;
  }

  /** The following do nothing, because no caller waits for a response. */
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

export function withRelatedTask(taskId: string, params: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : undefined;
  return { ...params, _meta: { ...meta, [RELATED_TASK_META_KEY]: { taskId } } };
}

/** Adds a progress token, so that progress becomes the status message even if the client did not ask for progress. */
export function withProgress(params: JsonObject): JsonObject {
  const meta = isJsonObject(params["_meta"]) ? params["_meta"] : undefined;
  return { ...params, _meta: { progressToken: "task", ...meta } };
}

function describeProgress({ progress, total, message }: JsonObject): string {
  if (typeof message === "string") return message;
  return typeof total === "number" ? `${String(progress)} of ${total}` : String(progress);
}

/** The requests that wait for the result of each task in this process. Notifications go to the newest. */
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
