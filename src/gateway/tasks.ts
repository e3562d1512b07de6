/**
 * Tasks through a gateway. `task-bridge.ts` converts between the two wire forms.
 *
 * A task stays with its server. The gateway replaces its id, in requests and in results, by one that names the server and opens for its
 * caller only.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { RELATED_TASK_META_KEY } from "../protocol/meta-keys.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import { hasCapabilities } from "../session/client-capabilities.ts";
import type { RequestContext } from "../session/request-context.ts";
import { fromBase64Url, toBase64Url } from "../base/bytes.ts";
import type { Caller } from "./caller.ts";
import type { Forward } from "./forward.ts";
import { TASKS_ID } from "./profile.ts";
import type { Route } from "./router.ts";
import type { BridgedTask, TaskBridge } from "./task-bridge.ts";
import { unknownTaskError, type TaskHandles } from "./task-handles.ts";
import type { Upstream } from "./upstream.ts";

/** Requests about one task, in both forms. */
export const TASK_METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]);

const ABLE = { extensions: { [TASKS_ID]: {} } };

/** What the tasks need of the gateway. */
export interface TasksHost {
  readonly bridge: TaskBridge;
  /** Sends a request to the server of a call, with another method than the caller's. */
  readonly request: (call: Forward, method: string) => Promise<JsonObject>;
  /** Runs a request if the quota of its caller at that server allows it. */
  readonly limit: (context: RequestContext, server: string, run: () => Promise<JsonObject>) => MaybePromise<JsonObject>;
  readonly handles: TaskHandles;
  readonly servers: () => readonly Upstream[];
  readonly forward: (context: RequestContext, caller: Caller, route: Route, params: JsonObject) => Promise<JsonObject>;
  /** A result of a server with the URIs that the caller sees. */
  readonly withUris: (result: JsonObject, server: Upstream, caller: Caller) => MaybePromise<JsonObject>;
}

export class GatewayTasks {
  readonly #host: TasksHost;

  constructor(host: TasksHost) {
    this.#host = host;
  }

  /** A request about one task. @throws McpError -32602 if the caller has no such task */
  async run(context: RequestContext, caller: Caller): Promise<JsonObject> {
    const { handles, servers, forward, bridge, limit, withUris } = this.#host;
    if (context.codec.stateless && !hasCapabilities(context.client.capabilities, ABLE)) throw new MissingClientCapabilityError(ABLE);
    const name = await handles.read(context.params["taskId"], context.principal);
    const server = servers().find((one) => one.name === name.server);
    if (server === undefined) throw unknownTaskError();
    const lane = bridge.laneOf({ context, caller, ...name }) ?? (await server.lane(caller));
    if (!lane.isOpen) await lane.open();
    if (context.codec.stateless && lane.isStateless !== true)
      return limit(context, name.server, async () => withUris(await this.#bridged({ context, caller, lane, ...name }), server, caller));
    if (lane.isStateless !== context.codec.stateless) throw unknownTaskError(); // this gateway gives no client such a name
    const result = await forward(context, caller, { server, lane, id: name.id }, { ...context.params, taskId: name.id });
    return this.renamed(result, server.name, context);
  }

  /** A request of the extension about a task of the core. */
  async #bridged(task: BridgedTask): Promise<JsonObject> {
    const { context, caller, server, lane, id } = task;
    const { bridge, request } = this.#host;
    const send = (method: string): Promise<JsonObject> => request({ context, caller, server, lane, params: { taskId: id } }, method);
    if (context.method === "tasks/update") return bridge.update(task);
    if (context.method === "tasks/cancel") return bridge.cancel(task, send);
    return this.renamed(await bridge.get(task, send), server, context);
  }

  /** `tasks/list`: the tasks of all servers, one server after the other. */
  async list(context: RequestContext, caller: Caller): Promise<JsonObject> {
    const [first, cursor] = placeOf(context.params["cursor"]);
    const servers = this.#host.servers();
    for (let at = first; at < servers.length; at++) {
      const page = await this.#page(context, caller, servers[at]!, at === first ? cursor : undefined);
      if (page === undefined) continue;
      const { nextCursor, ...rest } = page;
      const next = typeof nextCursor === "string" ? [at, nextCursor] : [at + 1];
      const isMore = typeof nextCursor === "string" || at + 1 < servers.length;
      return { ...rest, ...(isMore && { nextCursor: toBase64Url(new TextEncoder().encode(JSON.stringify(next))) }) };
    }
    return { tasks: [] };
  }

  /** Undefined if the server keeps no list of tasks, or cannot be reached. */
  async #page(context: RequestContext, caller: Caller, server: Upstream, cursor: string | undefined): Promise<JsonObject | undefined> {
    try {
      const lane = await server.lane(caller);
      const client = await lane.open();
      // On a connection of all callers the server would list the tasks of all of them.
      if (client.serverCapabilities.tasks?.list === undefined || lane.isStateless === true || lane.isForAll) return undefined;
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#host.forward(context, caller, { server, lane, id: "" }, params);
      return await this.renamed(result, server.name, context);
    } catch (error) {
      context.signal.throwIfAborted();
      server.report(error, "tasks/list");
      return undefined;
    }
  }

  /** The result with the ids that the caller sees. Returns the same object if it names no task. */
  async renamed(result: JsonObject, server: string, { principal }: RequestContext): Promise<JsonObject> {
    const rename = async (task: unknown): Promise<unknown> => {
      if (!isJsonObject(task) || typeof task["taskId"] !== "string") return task;
      return { ...task, taskId: await this.#host.handles.make({ server, id: task["taskId"] }, principal) };
    };
    const { task, tasks, _meta: meta } = result;
    const related = isJsonObject(meta) ? meta[RELATED_TASK_META_KEY] : undefined;
    return {
      ...((await rename(result)) as JsonObject), // an object, as `result` is
      ...(task !== undefined && { task: await rename(task) }),
      ...(Array.isArray(tasks) && { tasks: await Promise.all(tasks.map(rename)) }),
      ...(related !== undefined && { _meta: { ...(meta as JsonObject), [RELATED_TASK_META_KEY]: await rename(related) } }),
    };
  }
}

/** Whether the result of a call is a task, or belongs to one. */
export function namesTask({ resultType, task, _meta: meta }: JsonObject): boolean {
  return resultType === "task" || isJsonObject(task) || (isJsonObject(meta) && RELATED_TASK_META_KEY in meta);
}

/** The server of a page, by its place in the configuration, and that server's cursor. @throws McpError -32602 */
function placeOf(cursor: unknown): readonly [number, string | undefined] {
  if (cursor === undefined) return [0, undefined];
  try {
    const [at, inner] = JSON.parse(new TextDecoder().decode(fromBase64Url(cursor as string))) as [unknown, unknown];
    if (Number.isSafeInteger(at) && (at as number) >= 0 && (inner === undefined || typeof inner === "string")) return [at as number, inner];
  } catch {
    // Refused below.
  }
  throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
}
