/** Sends a request on within the quota of its caller. Ids of tasks and URIs in the result become the gateway's. */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import { hasMetaUri, MatchBudget, withUris } from "../../session/uris.ts";
import type { Caller } from "../clients/caller.ts";
import type { GatewayParts } from "../parts.ts";
import type { Route } from "../router.ts";
import type { Lane } from "../servers/lane.ts";
import type { Upstream } from "../servers/upstream.ts";
import { assertNewTask, isNewTask } from "../tasks/given-tasks.ts";
import { unknownTaskError } from "../tasks/task-handles.ts";

export class Sender {
  readonly #parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Forwards a request within the quota of its caller, and puts the gateway's ids and URIs into the result. */
  async send(context: RequestContext, caller: Caller, { server, lane }: Route, params: JsonObject): Promise<JsonObject> {
    const { fronts, settings, forwarder, handles } = this.#parts;
    if (!context.codec.stateless) fronts.of(context).join(lane);
    const call = { context, caller, server: server.name, lane, params };
    const { quotas } = settings;
    const result = await (quotas.isEmpty ? forwarder.run(call) : quotas.run(context, server.name, () => forwarder.run(call)));
    if (!namesTask(result) || context.method !== "tools/call") return this.withUris(result, server, caller);
    if (isNewTask(result)) assertNewTask(lane, result);
    noteTask(lane, result);
    return this.withUris(await handles.renamed(result, server.name, context.principal), server, caller);
  }

  /** A result with the URIs that the caller sees. */
  withUris(result: JsonObject, server: Upstream, caller: Caller): MaybePromise<JsonObject> {
    return namesUris(result) ? this.#rewritten(result, server, caller) : result;
  }

  async #rewritten(result: JsonObject, server: Upstream, caller: Caller): Promise<JsonObject> {
    const budget = new MatchBudget();
    const { router, draining } = this.#parts;
    // The URIs of a server that was changed belong to the server that has its name now.
    const now = draining.isEmpty ? server : (router.serverNamed(server.name) ?? server);
    const lists = await router.lists.of(caller);
    return withUris(result, (uri) => lists.uris.seen(now, uri, budget));
  }

  /** Notes the server of a request about a task. @throws McpError -32602 as for an unknown task, if the policy denies the caller all of it */
  enter(context: RequestContext, caller: Caller, server: string): void {
    const { audit, router } = this.#parts;
    audit?.routed(context, server);
    if (router.reach.mayUse(caller, server)) return;
    audit?.denied(context);
    throw unknownTaskError();
  }

  /** Runs what a caller asks of a server beside its calls, if the quota allows it. */
  limit(context: RequestContext, server: string, run: () => Promise<JsonObject>): Promise<JsonObject> {
    const { quotas } = this.#parts.settings;
    return quotas.run(context, server, () => quotas.countRunning(context, server, run));
  }
}

/** Whether the result of a call is a task, or belongs to one. */
function namesTask({ resultType, task, _meta: meta }: JsonObject): boolean {
  return resultType === "task" || isJsonObject(task) || (isJsonObject(meta) && RELATED_TASK_META_KEY in meta);
}

/** The connection of a task may be the only one that knows it. */
function noteTask({ begunTasks }: Lane, { task, taskId }: JsonObject): void {
  const id = isJsonObject(task) ? task["taskId"] : taskId;
  if (typeof id === "string") begunTasks.add(id);
}

/** Whether a result, or the result in the state of a task, has members that may be URIs. */
function namesUris(result: JsonObject): boolean {
  return hasUris(result) || (isJsonObject(result["result"]) && hasUris(result["result"]));
}

/** A single text, the most frequent result, has none. */
function hasUris({ content, contents, messages, _meta: meta }: JsonObject): boolean {
  if (meta !== undefined && hasMetaUri(meta)) return true;
  if (!Array.isArray(content)) return contents !== undefined || messages !== undefined;
  return content.some((block: unknown) => isJsonObject(block) && block["type"] !== "text");
}
