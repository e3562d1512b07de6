/**
 * The methods that servers handle: each finds the caller and the server, and asks the policy.
 *
 * `../router.ts` finds the server and the lane, `sender.ts` sends the request on.
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import { unlistedError } from "../catalog/denial.ts";
import type { Caller } from "../clients/caller.ts";
import { routeExtension } from "./extension-methods.ts";
import type { Kind } from "../../upstream/listing.ts";
import type { ListMethods } from "./lists.ts";
import { loginResult } from "../login/login-tool.ts";
import type { GatewayParts } from "../parts.ts";
import { continueRemoved, removedCallOf } from "./removed-server-calls.ts";
import type { Route } from "../router.ts";
import { Sender } from "./sender.ts";
import { GatewayTasks } from "../tasks/gateway-tasks.ts";

export class Calls {
  readonly tasks: GatewayTasks;
  readonly #parts: GatewayParts;
  readonly #lists: ListMethods;
  readonly #sender: Sender;

  constructor(parts: GatewayParts, lists: ListMethods) {
    this.#parts = parts;
    this.#lists = lists;
    this.#sender = new Sender(parts);
    this.tasks = new GatewayTasks(parts, this.#sender);
  }

  /** Calls a tool or gets a prompt. */
  async named(kind: "tool" | "prompt", context: RequestContext): Promise<JsonObject> {
    const { fronts, router, search, spill, access, settings } = this.#parts;
    const caller = fronts.caller(context);
    const name = context.params["name"] as string; // checked by the codec
    if (kind === "tool" && spill?.isOwn(name) === true) return spill.run(context);
    if (kind === "tool" && search?.isOwn(name) === true) return this.#lists.search(search, context, caller);
    const removed = isRound(context) ? await removedCallOf(this.#parts, context) : undefined;
    if (removed !== undefined) return continueRemoved(this.#parts, context, { kind, name }, removed);
    const found = this.#route(context, caller, { kind, name, find: () => router.named(kind, name, caller) });
    const route = isPromise(found) ? await found : found;
    this.#assertAllowed(context, kind, name, route);
    if (settings.policy !== undefined && !access.isListed(context, kind, route)) await route.lane.lists.reads?.beforeRefusal();
    // The headers of a call of `call_tool` repeat nothing.
    if (kind === "tool" && search?.isUnwrapped(context) !== true) access.assertSameArguments(context, route);
    const loggedIn = kind === "tool" && route.server.login && loginResult(route.server.name, route.id, route.lane.listing);
    if (loggedIn) return loggedIn;
    access.assertListed(context, kind, name, route);
    return await this.#sender.send(context, caller, route, { ...context.params, name: route.id });
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
      return await this.#sender.send(context, caller, route, { ...context.params, uri: route.id });
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
      return await this.#sender.send(context, caller, route, { ...context.params, ref: inside });
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
    return this.#sender.send(context, caller, route, params);
  }

  /** Finds a resource that the caller may use. @throws as {@link Router.resource} and {@link Access.assertAllowed} */
  async resource(uri: string, context: RequestContext, caller: Caller): Promise<Route> {
    const { router } = this.#parts;
    const route = await this.#route(context, caller, { kind: "resource", name: uri, find: () => router.resource(uri, caller) });
    this.#assertAllowed(context, "resource", uri, route);
    return route;
  }

  /** Continuations go to the connection that holds the call; all other requests are routed by name. */
  #route(context: RequestContext, caller: Caller, wanted: WantedRoute): MaybePromise<Route> {
    return isRound(context) ? this.#continued(context, caller, wanted) : wanted.find();
  }

  async #continued(context: RequestContext, caller: Caller, { kind, name, find }: WantedRoute): Promise<Route> {
    const { router, draining, forwarder } = this.#parts;
    const state = await forwarder.suspendedState(context);
    const place = state && forwarder.placeOf(state);
    const holder = place && (draining.serverOf(place.lane) ?? router.servers.find((one) => one.lanes.has(place.lane)));
    if (holder !== undefined) return { ...place!, server: holder };
    // Another gateway may hold it: under its server's name, which may have another prefix here.
    const server = router.serverNamed(state?.server);
    if (state === undefined || server === undefined) return find();
    router.reach.assertMayName(caller, { kind, server: server.name, id: state.id, name });
    return { server, lane: await server.lanes.forCall(caller), id: state.id };
  }

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
}

function isRound({ params }: RequestContext): boolean {
  return typeof params["requestState"] === "string";
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

interface ReadPlace {
  /** As the client wrote it. */
  readonly uri: string;
  /** As its server writes it. */
  readonly id: string;
  readonly server: string;
  /** The principal whose credentials the server gets; undefined if they are the same for all callers. */
  readonly owner: string | undefined;
}
