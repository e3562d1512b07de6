/**
 * Requests to a client that are built and not sent: for whoever sends them in a way of their own, such as the queue of a
 * task (checklist SS-90…SS-95). Nothing is checked here; `ctx.session` sends and checks.
 */
import { isRequestId, type JsonObject, type JSONRPCRequest, type RequestId } from "../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../protocol/meta-keys.ts";
import type { ElicitRequestFormParams, ElicitRequestURLParams } from "../protocol/elicitation.ts";
import type { CreateMessageRequestParams } from "../protocol/sampling.ts";
import type { TaskMetadata } from "../protocol/tasks.ts";

/** What a request that is built is for (SS-93…SS-95). */
export interface BuildRequestOptions {
  /** The request's id. Default: {@link nextTaskRequestId} of the related task, else one that is used nowhere else. */
  readonly id?: RequestId;
  /** The task the request is made for; told in `_meta`, beside what is there. */
  readonly relatedTaskId?: string;
  /** Asks for the answer as a task. */
  readonly task?: TaskMetadata;
}

/** An id for a request of a task, never the same twice (SS-93). @throws RangeError for a task id too long to be part of one */
export function nextTaskRequestId(taskId: string): string {
  const id = `task-${taskId}-${crypto.randomUUID()}`;
  if (!isRequestId(id)) throw new RangeError(`Task id ${JSON.stringify(taskId.slice(0, 32))} … cannot be part of a request id`);
  return id;
}

/** `elicitation/create` with a form. */
export function buildElicitFormRequest(
  params: Omit<ElicitRequestFormParams, "mode" | "task">,
  options: BuildRequestOptions = {},
): JSONRPCRequest {
  return build("elicitation/create", { mode: "form", ...params }, options);
}

/** `elicitation/create` with a page. It cannot be a task. */
export function buildElicitUrlRequest(
  params: Omit<ElicitRequestURLParams, "mode" | "task">,
  options: Omit<BuildRequestOptions, "task"> = {},
): JSONRPCRequest {
  return build("elicitation/create", { mode: "url", ...params }, options);
}

/** `sampling/createMessage`. */
export function buildCreateMessageRequest(
  params: Omit<CreateMessageRequestParams, "task">,
  options: BuildRequestOptions = {},
): JSONRPCRequest {
  return build("sampling/createMessage", { ...params }, options);
}

function build(method: string, params: JsonObject, { id, relatedTaskId, task }: BuildRequestOptions): JSONRPCRequest {
  if (relatedTaskId !== undefined) {
    params["_meta"] = { ...(params["_meta"] as JsonObject | undefined), [RELATED_TASK_META_KEY]: { taskId: relatedTaskId } };
  }
  if (task !== undefined) params["task"] = task;
  const ownId = relatedTaskId === undefined ? crypto.randomUUID() : nextTaskRequestId(relatedTaskId);
  return { jsonrpc: "2.0", id: id ?? ownId, method, params };
}
