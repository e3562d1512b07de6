/**
 * What a server does only when it is asked for it: resources, prompts, completions, and telling clients of changes.
 *
 * A server may have none of these, and one that has them may never be asked. Loaded with the first request for one, and
 * with the first change that somebody may have to be told of.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import type { Clock } from "../base/clock.ts";
import type { Connection } from "../session/connection.ts";
import type { RequestContext } from "../session/request-context.ts";
import { Changes } from "./changes.ts";
import { Closing } from "./closing.ts";
import { complete } from "./completions.ts";
import type { Features } from "./features.ts";
import { listen } from "./listen.ts";
import { getPrompt, listPrompts } from "./prompt-methods.ts";
import { listResources, listTemplates, readResource, subscribe, unsubscribe } from "./resource-methods.ts";
import { tellOf } from "./subscriptions.ts";

type Method = (features: Features, context: RequestContext, onDemand: OnDemand) => MaybePromise<JsonObject>;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["resources/list", listResources],
  ["resources/templates/list", listTemplates],
  ["resources/read", readResource],
  ["resources/subscribe", subscribe],
  ["resources/unsubscribe", unsubscribe],
  ["prompts/list", listPrompts],
  ["prompts/get", getPrompt],
  ["completion/complete", complete],
  ["subscriptions/listen", listen],
]);

export class OnDemand {
  readonly changes: Changes;
  /** Tells when the server closes. */
  readonly closing: Closing = new Closing();
  readonly #features: Features;

  /** @param connections those that are open, whenever there is a change to tell them of */
  constructor(features: Features, connections: ReadonlySet<Connection>, clock: Clock) {
    this.#features = features;
    this.changes = new Changes(clock);
    this.changes.subscribe((change) => {
      for (const connection of connections) tellOf(change, connection);
    });
  }

  /** Answers one of the methods of the table. @throws McpError -32601 for one whose capability was declared without anything to serve it */
  answer(context: RequestContext): MaybePromise<JsonObject> {
    const method = METHODS.get(context.method);
    if (method === undefined) throw new McpError(ErrorCode.MethodNotFound, "Method not found", context.method);
    return method(this.#features, context, this);
  }
}
