/**
 * Tasks through a gateway. `task-bridge.ts` converts between the two wire forms.
 *
 * A task stays with its server. The gateway replaces its id, in requests and in results, by one that names the server and opens for its
 * caller only.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities } from "../../protocol/capabilities.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import { PROGRESS_KEY } from "../../protocol/tenon-keys.ts";
import { MissingClientCapabilityError } from "../../protocol/errors.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import type { Caller } from "../clients/caller.ts";
import type { Forward } from "../forward.ts";
import { TASKS_ID } from "../clients/profile.ts";
import type { Route } from "../router.ts";
import type { BridgedTask, TaskBridge } from "./task-bridge.ts";
import { unknownTaskError, type TaskHandles } from "./task-handles.ts";
import type { DrainingServers } from "../servers/draining.ts";
import type { Upstream } from "../servers/upstream.ts";

/** Requests about one task, in both forms. */
export const TASK_METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]);

/** What a client without a session declares if it has tasks. */
export const TASKS_ABLE: ClientCapabilities = { extensions: { [TASKS_ID]: {} } };

/** What the tasks need of the gateway. */
export interface TasksHost {
  readonly bridge: TaskBridge;
  /** Sends a request to the server of a call, with another method than the caller's. */
  readonly request: (call: Forward, method: string) => Promise<JsonObject>;
  /** Runs a request if the quota of its caller at that server allows it. */
  readonly limit: (context: RequestContext, server: string, run: () => Promise<JsonObject>) => MaybePromise<JsonObject>;
  readonly handles: TaskHandles;
  /** Makes and reads the cursors of lists. */
  readonly cursors: TaskHandles;
  /** All servers; with a caller, only servers of which it may use something. */
  readonly servers: (caller?: Caller) => readonly Upstream[];
  /** Notes the server of a request about a task. @throws McpError -32602 if the policy denies the caller all of it */
  readonly enter: (context: RequestContext, caller: Caller, server: string) => void;
  readonly draining: DrainingServers;
  readonly forward: (context: RequestContext, caller: Caller, route: Route, params: JsonObject) => Promise<JsonObject>;
  /** A result of a server with the URIs that the caller sees. */
  readonly withUris: (result: JsonObject, server: Upstream, caller: Caller) => MaybePromise<JsonObject>;
}

/** A task that a client listens to. */
export interface FoundTask {
  readonly server: string;
  /** Its state, with the id that the client knows. */
  readonly first: JsonObject;
  /** Asks for the state again. */
  readonly state: () => Promise<JsonObject>;
  /** Calls `changed` when the state may have changed. Returns a function that ends it. */
  readonly watch: (identity: ClientIdentity, changed: () => void) => () => void;
}

export class GatewayTasks {
  readonly #host: TasksHost;

  constructor(host: TasksHost) {
    this.#host = host;
  }

  /** A request about one task. @throws McpError -32602 if the caller has no such task */
  async run(context: RequestContext, caller: Caller): Promise<JsonObject> {
    const { forward, limit, withUris } = this.#host;
    if (context.codec.stateless && !hasCapabilities(context.client.capabilities, TASKS_ABLE))
      throw new MissingClientCapabilityError(TASKS_ABLE);
    const { lane, server, id } = await this.#locate(context.params["taskId"], context, caller);
    if (context.codec.stateless && lane.isStateless !== true)
      return limit(context, server.name, async () =>
        withUris(await this.#bridged({ context, caller, lane, server: server.name, id }), server, caller),
      );
    if (lane.isStateless !== context.codec.stateless) throw unknownTaskError(); // this gateway gives no client such a name
    const result = await forward(context, caller, { server, lane, id }, { ...context.params, taskId: id });
    return this.renamed(result, server.name, context);
  }

  /** A task that a client of the extension listens to. @throws McpError -32602 if the caller has no such task */
  async find(taskId: string, context: RequestContext, caller: Caller): Promise<FoundTask> {
    const { bridge, request, limit, withUris, enter } = this.#host;
    const { server, lane, id } = await this.#locate(taskId, context, caller);
    const task = { context, caller, server: server.name, lane, id };
    const send = (method: string): Promise<JsonObject> => request({ ...task, params: { taskId: id } }, method);
    const get = (): Promise<JsonObject> => (lane.isStateless === true ? send("tasks/get") : bridge.get(task, send));
    const watch: FoundTask["watch"] = (identity, changed) => {
      const stops = [lane.events.watchTask(id, identity, changed)];
      if (lane.isStateless !== true) stops.push(bridge.watch(task, changed));
      return () => stops.forEach((stop) => stop());
    };
    const stateIn = async ({ _meta: meta, resultType: _1, ...detailed }: JsonObject): Promise<JsonObject> => ({
      ...(await withUris(await this.renamed(detailed, server.name, context), server, caller)),
      ...(isJsonObject(meta) && meta[PROGRESS_KEY] !== undefined && { _meta: { [PROGRESS_KEY]: meta[PROGRESS_KEY] } }),
    });
    // Only what the caller does counts against its quota, and not what the server announces.
    const first = await stateIn(await limit(context, server.name, get));
    const state = async (): Promise<JsonObject> => {
      enter(context, caller, server.name); // the policy may have changed since the watch began
      return stateIn(await get());
    };
    return { server: server.name, first, state, watch };
  }

  async #locate(taskId: unknown, context: RequestContext, caller: Caller): Promise<Route> {
    const { handles, servers, enter, draining, bridge } = this.#host;
    const name = await handles.read(taskId, context.principal);
    enter(context, caller, name.server);
    const before = draining.placeOf(name, caller);
    if (before !== undefined) return { ...before, id: name.id };
    const followed = bridge.laneOf({ context, caller, ...name });
    const server = (followed && draining.serverOf(followed)) ?? servers().find((one) => one.name === name.server);
    if (server === undefined) throw unknownTaskError();
    const lane = followed ?? (await server.lane(caller));
    if (!lane.isOpen) await lane.open();
    return { server, lane, id: name.id };
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
    const servers = this.#host.servers(caller);
    const [first, cursor] = await this.#placeOf(context, servers);
    for (let at = first; at < servers.length; at++) {
      const page = await this.#page(context, caller, servers[at]!, at === first ? cursor : undefined);
      if (page === undefined) continue;
      const { nextCursor, ...rest } = page;
      const own = typeof nextCursor === "string" ? nextCursor : undefined;
      const next = own === undefined ? servers[at + 1] : servers[at];
      return { ...rest, ...(next && { nextCursor: await this.#cursorOf(next, own, context) }) };
    }
    return { tasks: [] };
  }

  /** @param own the server's own cursor; undefined for its first page */
  #cursorOf({ name: server }: Upstream, own: string | undefined, { principal }: RequestContext): Promise<string> {
    return this.#host.cursors.make({ server, id: JSON.stringify(own ?? null) }, principal);
  }

  /** Which server the page of a request is of, and that server's own cursor. @throws McpError -32602, also if the server is gone */
  async #placeOf({ params, principal }: RequestContext, servers: readonly Upstream[]): Promise<readonly [number, string | undefined]> {
    const { cursor } = params;
    if (cursor === undefined) return [0, undefined];
    const page = await this.#host.cursors.read(cursor, principal).catch(() => undefined);
    const at = servers.findIndex(({ name }) => name === page?.server);
    if (page === undefined || at < 0) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
    return [at, (JSON.parse(page.id) as string | null) ?? undefined]; // as `cursorOf` wrote it
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
