/**
 * Runs a request of another server that has mounted this one: inside this server's middleware, with its lifespan, and without rounds,
 * tasks and limits of its own, because those of the request belong to the server that received it.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { viewOf } from "../session/context-view.ts";
import type { RequestContext } from "../session/request-context.ts";
import type { RequestChain } from "./request-chain.ts";

/** A function that runs requests of other servers with the handlers of this one. */
export function nestedHandler(chain: RequestChain): (context: RequestContext) => MaybePromise<JsonObject> {
  return (context) => chain.nested(viewFor(chain, context));
}

/** A request of another server, as handlers of this one see it. */
export function viewFor(chain: RequestChain, context: RequestContext): RequestContext {
  return viewOf(context, { params: context.params, lifespan: chain.lifespan });
}
