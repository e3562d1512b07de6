/**
 * Tasks through a gateway. `task-bridge.ts` converts between the two wire forms.
 *
 * A task stays with its server. The gateway replaces its id, in requests and in results, by one that names the server and opens for its
 * caller only.
 */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { PROGRESS_KEY } from "../../protocol/tenon-keys.ts";
import { MissingClientCapabilityError } from "../../protocol/errors.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import type { Caller } from "../clients/caller.ts";
import type { Sender } from "../methods/sender.ts";
import type { GatewayParts } from "../parts.ts";
import { TASKS_ABLE } from "../clients/profile.ts";
import type { Route } from "../router.ts";
import type { BridgedTask } from "./task-bridge.ts";
import { unknownTaskError } from "./task-handles.ts";
import type { Upstream } from "../servers/upstream.ts";

/** Requests about one task, in both forms. */
export const TASK_METHODS: ReadonlySet<string> = new Set(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"]);

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
  readonly #parts: GatewayParts;
  readonly #sender: Sender;

  constructor(parts: GatewayParts, sender: Sender) {
    this.#parts = parts;
    this.#sender = sender;
  }

  /** A request about one task. @throws McpError -32602 if the caller has no such task */
  async run(context: RequestContext, caller: Caller): Promise<JsonObject> {
    if (context.codec.stateless && !hasCapabilities(context.client.capabilities, TASKS_ABLE))
      throw new MissingClientCapabilityError(TASKS_ABLE);
    const { lane, server, id } = await this.#locate(context.params["taskId"], context, caller);
    if (context.codec.stateless && lane.isStateless !== true)
      return this.#sender.limit(context, server.name, async () =>
        this.#sender.withUris(await this.#bridged({ context, caller, lane, server: server.name, id }), server, caller),
      );
    if (lane.isStateless !== context.codec.stateless) throw unknownTaskError(); // this gateway gives no client such a name
    const result = await this.#sender.send(context, caller, { server, lane, id }, { ...context.params, taskId: id });
    return this.#parts.handles.renamed(result, server.name, context.principal);
  }

  /** A task that a client of the extension listens to. @throws McpError -32602 if the caller has no such task */
  async find(taskId: string, context: RequestContext, caller: Caller): Promise<FoundTask> {
    const { bridge, forwarder, handles } = this.#parts;
    const { server, lane, id } = await this.#locate(taskId, context, caller);
    const task = { context, caller, server: server.name, lane, id };
    const send = (method: string): Promise<JsonObject> => forwarder.request({ ...task, params: { taskId: id } }, method);
    const get = (): Promise<JsonObject> => (lane.isStateless === true ? send("tasks/get") : bridge.get(task, send));
    const watch: FoundTask["watch"] = (identity, changed) => {
      const stops = [lane.events.watchTask(id, identity, changed)];
      if (lane.isStateless !== true) stops.push(bridge.watch(task, changed));
      return () => stops.forEach((stop) => stop());
    };
    const stateIn = async ({ _meta: meta, resultType: _resultType, ...detailed }: JsonObject): Promise<JsonObject> => ({
      ...(await this.#sender.withUris(await handles.renamed(detailed, server.name, context.principal), server, caller)),
      ...(isJsonObject(meta) && meta[PROGRESS_KEY] !== undefined && { _meta: { [PROGRESS_KEY]: meta[PROGRESS_KEY] } }),
    });
    // Only what the caller does counts against its quota, and not what the server announces.
    const first = await stateIn(await this.#sender.limit(context, server.name, get));
    const state = async (): Promise<JsonObject> => {
      this.#sender.enter(context, caller, server.name); // the policy may have changed since the watch began
      return stateIn(await get());
    };
    return { server: server.name, first, state, watch };
  }

  async #locate(taskId: unknown, context: RequestContext, caller: Caller): Promise<Route> {
    const { handles, router, draining, bridge } = this.#parts;
    const name = await handles.read(taskId, context.principal);
    this.#sender.enter(context, caller, name.server);
    const before = draining.placeOf(name, caller);
    if (before !== undefined) return { ...before, id: name.id };
    const followed = bridge.laneOf({ context, caller, ...name });
    const server = (followed && draining.serverOf(followed)) ?? router.serverNamed(name.server);
    if (server === undefined) throw unknownTaskError();
    const lane = followed ?? (await server.lanes.of(caller));
    if (!lane.isOpen) await lane.open();
    return { server, lane, id: name.id };
  }

  /** A request of the extension about a task of the core. */
  async #bridged(task: BridgedTask): Promise<JsonObject> {
    const { context, caller, server, lane, id } = task;
    const { bridge, forwarder, handles } = this.#parts;
    const send = (method: string): Promise<JsonObject> =>
      forwarder.request({ context, caller, server, lane, params: { taskId: id } }, method);
    if (context.method === "tasks/update") return bridge.update(task);
    if (context.method === "tasks/cancel") return bridge.cancel(task, send);
    return handles.renamed(await bridge.get(task, send), server, context.principal);
  }

  /** `tasks/list`: the tasks of all servers, one server after the other. */
  async list(context: RequestContext, caller: Caller): Promise<JsonObject> {
    const servers = this.#parts.router.serversFor(caller);
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
    return this.#parts.taskCursors.make({ server, id: JSON.stringify(own ?? null) }, principal);
  }

  /** Which server the page of a request is of, and that server's own cursor. @throws McpError -32602, also if the server is gone */
  async #placeOf({ params, principal }: RequestContext, servers: readonly Upstream[]): Promise<readonly [number, string | undefined]> {
    const { cursor } = params;
    if (cursor === undefined) return [0, undefined];
    const page = await this.#parts.taskCursors.read(cursor, principal).catch(() => undefined);
    const at = servers.findIndex(({ name }) => name === page?.server);
    if (page === undefined || at < 0) throw new McpError(ErrorCode.InvalidParams, "Invalid cursor");
    return [at, (JSON.parse(page.id) as string | null) ?? undefined]; // as `cursorOf` wrote it
  }

  /** Undefined if the server keeps no list of tasks, or cannot be reached. */
  async #page(context: RequestContext, caller: Caller, server: Upstream, cursor: string | undefined): Promise<JsonObject | undefined> {
    try {
      const lane = await server.lanes.of(caller);
      const client = await lane.open();
      // On a connection of all callers the server would list the tasks of all of them.
      if (client.serverCapabilities.tasks?.list === undefined || lane.isStateless === true || lane.isForAll) return undefined;
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#sender.send(context, caller, { server, lane, id: "" }, params);
      return await this.#parts.handles.renamed(result, server.name, context.principal);
    } catch (error) {
      context.signal.throwIfAborted();
      server.report(error, "tasks/list");
      return undefined;
    }
  }
}
