/**
 * The methods that servers handle: each finds the caller and the server, asks the policy and the quota, and forwards the request.
 *
 * `../router.ts` finds the server and the lane, `../forward.ts` sends the request. Ids of tasks and URIs in results become the gateway's here.
 */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import { RELATED_TASK_META_KEY } from "../../protocol/meta-keys.ts";
import { unlistedError } from "../catalog/denial.ts";
import type { Caller } from "../clients/caller.ts";
import { routeExtension } from "./extension-methods.ts";
import type { Kind } from "../../upstream/listing.ts";
import type { Lists } from "./lists.ts";
import { loginResult } from "../login/login-tool.ts";
import type { GatewayParts } from "../parts.ts";
import { continueRemoved, removedCallOf } from "./removed-server-calls.ts";
import type { Route } from "../router.ts";
import { GatewayTasks } from "../tasks/gateway-tasks.ts";
import { assertNewTask, isNewTask } from "../tasks/given-tasks.ts";
import { unknownTaskError } from "../tasks/task-handles.ts";
import { hasMetaUri, MatchBudget, withUris } from "../../session/uris.ts";
import type { Lane } from "../servers/lane.ts";
import type { Upstream } from "../servers/upstream.ts";

export class Calls {
  readonly tasks: GatewayTasks;
  readonly #parts: GatewayParts;
  readonly #lists: Lists;

  constructor(parts: GatewayParts, lists: Lists) {
    const { router, handles, taskCursors, bridge, forwarder, draining } = parts;
    this.#parts = parts;
    this.#lists = lists;
    this.tasks = new GatewayTasks({
      handles,
      cursors: taskCursors,
      bridge,
      servers: (caller) => (caller === undefined ? router.servers : router.serversFor(caller)),
      enter: (context, caller, server) => this.#assertMayUse(context, caller, server),
      draining,
      request: (call, method) => forwarder.request(call, method),
      limit: (context, server, run) => {
        const { quotas } = parts.settings;
        return quotas.run(context, server, () => quotas.countRunning(context, server, run));
      },
      forward: async (context, caller, route, params) => this.#forward(context, caller, route, params),
      withUris: (result, server, caller) => this.#withUris(result, server, caller),
    });
  }

  /** A tool or a prompt by its name. */
  named(kind: "tool" | "prompt", context: RequestContext): MaybePromise<JsonObject> {
    const caller = this.#parts.fronts.caller(context);
    const name = context.params["name"] as string; // checked by the codec
    const search = kind === "tool" ? this.#parts.search : undefined;
    if (kind === "tool" && this.#parts.spill?.isOwn(name) === true) return this.#parts.spill.run(context);
    if (search?.isOwn(name) === true) return this.#lists.search(search, context, caller);
    // Only a request that continues a call can be for a server that this gateway does not have any more.
    if (context.params["requestState"] === undefined) return this.#runNamed(kind, context, caller);
    return andThen(removedCallOf(this.#parts, context), (removed) =>
      removed === undefined ? this.#runNamed(kind, context, caller) : continueRemoved(this.#parts, context, { kind, name }, removed),
    );
  }

  #runNamed(kind: "tool" | "prompt", context: RequestContext, caller: Caller): MaybePromise<JsonObject> {
    const { router } = this.#parts;
    const name = context.params["name"] as string; // checked by the codec
    const found = this.#route(context, caller, { kind, name, find: () => router.named(kind, name, caller) });
    return andThen(found, (route) => {
      this.#assertAllowed(context, kind, name, route);
      return andThen(this.#readAgainIfUnlisted(context, kind, route), () => this.#checkAndForward(kind, context, { caller, name, route }));
    });
  }

  /** Reads the list again before a name is refused that it does not have. Undefined if there is nothing to wait for. */
  #readAgainIfUnlisted(context: RequestContext, kind: "tool" | "prompt", route: Route): Promise<unknown> | undefined {
    const { settings, access } = this.#parts;
    return settings.policy === undefined || access.isListed(context, kind, route) ? undefined : route.lane.beforeRefusal();
  }

  /** Makes the checks that need the lists of the server, and forwards the call. */
  #checkAndForward(kind: "tool" | "prompt", context: RequestContext, { caller, name, route }: NamedCall): MaybePromise<JsonObject> {
    const { access, search } = this.#parts;
    // The headers of a call of `call_tool` repeat nothing.
    if (kind === "tool" && search?.isUnwrapped(context) !== true) access.assertSameArguments(context, route);
    const loggedIn = kind === "tool" && route.server.login && loginResult(route.server.name, route.id, route.lane.listing);
    if (loggedIn) return loggedIn;
    access.assertListed(context, kind, name, route);
    return this.#forward(context, caller, route, { ...context.params, name: route.id });
  }

  async read(context: RequestContext): Promise<JsonObject> {
    const caller = this.#parts.fronts.caller(context);
    const uri = context.params["uri"] as string; // checked by the codec
    const own = await this.#parts.spill?.read(context);
    if (own !== undefined) return own;
    const removed = await removedCallOf(this.#parts, context);
    if (removed !== undefined) {
      const result = await continueRemoved(this.#parts, context, { kind: "resource", name: uri }, removed);
      return this.#approved(result, context, { uri, id: removed.id, server: removed.server, owner: context.principal });
    }
    const route = await this.resource(uri, context, caller);
    const place = { uri, id: route.id, server: route.server.name, owner: route.lane.owner?.principal };
    return this.#approved(await this.#read(context, caller, { uri, route }), context, place);
  }

  async #read(
    context: RequestContext,
    caller: Caller,
    { uri, route }: { readonly uri: string; readonly route: Route },
  ): Promise<JsonObject> {
    try {
      return await this.#forward(context, caller, route, { ...context.params, uri: route.id });
    } catch (error) {
      throw this.#parts.settings.policy !== undefined && isUnknownUri(error) ? unlistedError("resource", uri) : error;
    }
  }

  /** The result of reading a resource. @throws McpError -32602 if it is a page that is withheld */
  async #approved(result: JsonObject, context: RequestContext, { uri, id, server, owner }: ReadPlace): Promise<JsonObject> {
    const { audit, settings } = this.#parts;
    try {
      await settings.pins?.assertPage(id, result, { server, owner, name: uri });
      return result;
    } catch (error) {
      audit?.denied(context);
      throw error;
    }
  }

  async complete(context: RequestContext): Promise<JsonObject> {
    const { router, fronts, access } = this.#parts;
    const caller = fronts.caller(context);
    const ref = context.params["ref"] as { type: string; name?: string; uri?: string }; // checked by the codec
    const isPrompt = ref.type === "ref/prompt";
    const route = isPrompt ? await router.named("prompt", ref.name!, caller) : await router.resource(ref.uri!, caller, "template");
    this.#assertAllowed(context, isPrompt ? "prompt" : "template", ref.name ?? ref.uri!, route);
    if (isPrompt) access.assertListed(context, "prompt", ref.name!, route);
    const inside = isPrompt ? { ...ref, name: route.id } : { ...ref, uri: route.id };
    try {
      return await this.#forward(context, caller, route, { ...context.params, ref: inside });
    } catch (error) {
      // The gateway declares completion for all servers, so one that has none completes nothing.
      if (McpError.isMcpError(error) && error.code === ErrorCode.MethodNotFound) return { completion: { values: [] } };
      throw error;
    }
  }

  /** A method that the gateway does not know. */
  async extended(context: RequestContext): Promise<JsonObject> {
    const caller = this.#parts.fronts.caller(context);
    const { params, ...route } = await routeExtension(this.#parts, context, caller);
    return this.#forward(context, caller, route, params);
  }

  /** Finds a resource that the caller may use. @throws as {@link Router.resource} and {@link Access.assertAllowed} */
  async resource(uri: string, context: RequestContext, caller: Caller): Promise<Route> {
    const { router } = this.#parts;
    const route = await this.#route(context, caller, { kind: "resource", name: uri, find: () => router.resource(uri, caller) });
    this.#assertAllowed(context, "resource", uri, route);
    return route;
  }

  /** Continuations go to the connection that holds the call; all other requests are routed by name. */
  #route(context: RequestContext, caller: Caller, { kind, name, find }: WantedRoute): MaybePromise<Route> {
    if (typeof context.params["requestState"] !== "string") return find();
    const { router, draining, forwarder } = this.#parts;
    return forwarder.suspendedState(context).then(async (state) => {
      const place = state && forwarder.placeOf(state);
      const holder = place && (draining.serverOf(place.lane) ?? router.servers.find((one) => one.has(place.lane)));
      if (holder !== undefined) return { ...place!, server: holder };
      // Another gateway may hold it: under its server's name, which may have another prefix here.
      const server = state && router.servers.find((one) => one.name === state.server);
      if (server === undefined || state?.id === undefined) return find();
      router.reach.assertMayName(caller, { kind, server: server.name, id: state.id, name });
      return { server, lane: await server.laneForCall(caller), id: state.id };
    });
  }

  /** Before a request about a task goes to a server. @throws McpError -32602 as for an unknown task, if the policy denies all of the server */
  #assertMayUse(context: RequestContext, caller: Caller, server: string): void {
    const { audit, router } = this.#parts;
    audit?.routed(context, server);
    if (router.reach.mayUse(caller, server)) return;
    audit?.denied(context);
    throw unknownTaskError();
  }

  /** @throws as {@link Access.assertAllowed} */
  #assertAllowed(context: RequestContext, kind: Kind, name: string, route: Route): void {
    const { audit, access } = this.#parts;
    audit?.routed(context, route.server.name);
    try {
      access.assertAllowed(context, kind, name, route);
    } catch (error) {
      audit?.denied(context);
      throw error;
    }
  }

  /** Forwards a request within the quota of its caller, and puts the gateway's ids and URIs into the result. */
  #forward(context: RequestContext, caller: Caller, { server, lane }: Route, params: JsonObject): MaybePromise<JsonObject> {
    const { fronts, settings, forwarder } = this.#parts;
    if (!context.codec.stateless) fronts.of(context).join(lane);
    const call = { context, caller, server: server.name, lane, params };
    const { quotas } = settings;
    const forwarded = quotas.isEmpty ? forwarder.run(call) : quotas.run(context, server.name, () => forwarder.run(call));
    return andThen(forwarded, (result) => {
      const isTask = namesTask(result) && context.method === "tools/call";
      if (isTask && isNewTask(result)) assertNewTask(lane, result);
      if (isTask) noteTask(lane, result);
      const named = isTask ? this.tasks.renamed(result, server.name, context) : result;
      return andThen(named, (seen) => this.#withUris(seen, server, caller));
    });
  }

  /** The result with the URIs that the caller sees. */
  #withUris(result: JsonObject, server: Upstream, caller: Caller): MaybePromise<JsonObject> {
    if (!namesUris(result)) return result;
    const budget = new MatchBudget();
    const { router, draining } = this.#parts;
    // The URIs of a server that was changed belong to the server that has its name now.
    const now = draining.isEmpty ? server : (router.servers.find(({ name }) => name === server.name) ?? server);
    return andThen(router.lists.of(caller), (lists) => withUris(result, (uri) => lists.uriOf(now, uri, budget)));
  }
}

/** Whether a server has no resource of that URI. */
function isUnknownUri(error: unknown): boolean {
  return error instanceof ResourceNotFoundError || (McpError.isMcpError(error) && error.code === ErrorCode.InvalidParams);
}

/** What a request names, and how its route is found if it continues no call. */
interface WantedRoute {
  readonly kind: Kind;
  /** As the client wrote it. */
  readonly name: string;
  readonly find: () => MaybePromise<Route>;
}

/** A call of a tool or a prompt that the policy allows. */
interface NamedCall {
  readonly caller: Caller;
  /** As the client wrote it. */
  readonly name: string;
  readonly route: Route;
}

/** Where a resource was read. */
interface ReadPlace {
  /** As the client wrote it. */
  readonly uri: string;
  /** As its server writes it. */
  readonly id: string;
  readonly server: string;
  /** The principal whose credentials the server gets; undefined if they are the same for all callers. */
  readonly owner: string | undefined;
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
