/**
 * Runs a request of another server that has mounted this one: inside this server's middleware, with its lifespan, and without rounds,
 * tasks and limits of its own, because the server that received the request has them.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { viewOf, withName } from "../../session/context-view.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { RequestChain } from "../serving/request-chain.ts";

/**
 * A function that runs requests of other servers with the handlers of this one. A name replaces the request's: it names a version of
 * the tool or prompt.
 */
export function nestedHandler(chain: RequestChain): (context: RequestContext, name?: string) => MaybePromise<JsonObject> {
  return (context, name) => chain.nested(viewFor(chain, name === undefined ? context : withName(context, name)));
}

/** A request of another server, as handlers of this one see it. */
export function viewFor(chain: RequestChain, context: RequestContext): RequestContext {
  return viewOf(context, { params: context.params, lifespan: chain.lifespan });
}
