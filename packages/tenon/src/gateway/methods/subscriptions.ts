/** How clients hear of changes: subscriptions of a session, and `listen` streams of clients without one. `calls.ts` finds the resources. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { hasCapabilities } from "../../session/client-capabilities.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Calls } from "./calls.ts";
import { listen, type ListenTargets } from "../clients/listen.ts";
import type { GatewayParts } from "../parts.ts";
import type { Route } from "../router.ts";
import { listenerTo, type BeginTask } from "../tasks/task-listening.ts";
import { TASKS_ABLE } from "../clients/profile.ts";

export class Subscriptions implements ListenTargets {
  readonly #parts: GatewayParts;
  readonly #calls: Calls;

  constructor(parts: GatewayParts, calls: Calls) {
    this.#parts = parts;
    this.#calls = calls;
  }

  /** @throws LimitExceededError if the session watches too many resources already */
  async subscribe(context: RequestContext): Promise<JsonObject> {
    const uri = context.params["uri"] as string; // checked by the codec
    const front = this.#parts.fronts.of(context);
    const route = await this.#route(context, uri); // the policy may deny what the session watches already
    await front.subscribe(uri, (updated) => this.#watch(context, route, updated));
    return {};
  }

  async unsubscribe(context: RequestContext): Promise<JsonObject> {
    await this.#parts.fronts.of(context).unsubscribe(context.params["uri"] as string); // checked by the codec
    return {};
  }

  listen(context: RequestContext): Promise<JsonObject> {
    return listen(this.#parts, this, context);
  }

  async watch(context: RequestContext, uri: string, updated: () => void): Promise<() => void> {
    return this.#watch(context, await this.#route(context, uri), updated);
  }

  async task(context: RequestContext, taskId: string): Promise<BeginTask | undefined> {
    if (!hasCapabilities(context.client.capabilities, TASKS_ABLE)) return undefined;
    const { settings, fronts, spill } = this.#parts;
    const caller = fronts.caller(context);
    const found = await this.#calls.tasks.find(taskId, context, caller);
    const report = (error: unknown): void => settings.report(error, { server: found.server, method: "subscriptions/listen" });
    const begin = listenerTo(found, caller.profile.identity(settings.info, undefined), report);
    return spill ? (tell) => begin(spill.telling(context, tell)) : begin;
  }

  /** @throws as {@link Calls.resource} */
  #route(context: RequestContext, uri: string): Promise<Route> {
    return this.#calls.resource(uri, context, this.#parts.fronts.caller(context));
  }

  async #watch(context: RequestContext, route: Route, updated: () => void): Promise<() => void> {
    let stop: (() => void) | undefined;
    const { settings, access } = this.#parts;
    const { quotas } = settings;
    // The policy may have changed since the watch began.
    const tell = (): void => {
      if (access.allows(context, "resource", route)) updated();
    };
    const watch = async (): Promise<JsonObject> => {
      stop = await route.lane.events.watchResource(route.id, tell);
      return {};
    };
    const { name } = route.server;
    await quotas.run(context, name, () => quotas.countRunning(context, name, watch));
    return stop!; // set, unless the quota or the watch has thrown
  }
}
