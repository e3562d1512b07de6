/**
 * Builds requests to a client without sending them, for programs that send them in their own way, such as the queue of a task.
 * Nothing is checked here; `ctx.session` sends and checks.
 */
import type { JsonObject, JSONRPCRequest, RequestId } from "../../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import type { ElicitRequestFormParams, ElicitRequestURLParams } from "../../protocol/elicitation.ts";
import type { CreateMessageRequestParams } from "../../protocol/sampling.ts";
import { nextTaskRequestId, type TaskMetadata } from "../../protocol/tasks.ts";

/** The id and the task of a request that is built. */
export interface BuildRequestOptions {
  /** The request's id. Default: {@link nextTaskRequestId} of the related task, else a unique id. */
  readonly id?: RequestId;
  /** The task that the request belongs to; added to `_meta`. */
  readonly relatedTaskId?: string;
  /** Requests a task. */
  readonly task?: TaskMetadata;
}

/** Builds `elicitation/create` with a form. */
export function buildElicitFormRequest(
  params: Omit<ElicitRequestFormParams, "mode" | "task">,
  options: BuildRequestOptions = {},
): JSONRPCRequest {
  return build("elicitation/create", { mode: "form", ...params }, options);
}

/** Builds `elicitation/create` with a page. It cannot be a task. */
export function buildElicitUrlRequest(
  params: Omit<ElicitRequestURLParams, "mode" | "task">,
  options: Omit<BuildRequestOptions, "task"> = {},
): JSONRPCRequest {
  return build("elicitation/create", { mode: "url", ...params }, options);
}

/** Builds `sampling/createMessage`. */
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
