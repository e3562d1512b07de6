/**
 * Notifies stateful clients of changes on the server: of every list change, and of the resources that they subscribed to. Stateless
 * clients open a stream instead: `listen-streams.ts`.
 */
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { Caller } from "../../session/caller.ts";
import type { Connection } from "../../session/connection.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { everyChange, LIST_CHANGED, type Change } from "../features/change.ts";
import type { Features } from "../features/features.ts";
import { findResource, type Resources } from "../features/resources.ts";

/** The most resources that one connection or stream can watch, and the most characters of their URIs together: they are kept until it ends. */
const [MAX_SUBSCRIPTIONS, MAX_WATCHED] = [1_000, 1_048_576];

/** @throws LimitExceededError if a client wants to watch too many resources */
export function assertWatchable(uris: readonly string[]): void {
  if (uris.length > MAX_SUBSCRIPTIONS) throw new LimitExceededError("maxSubscriptions", MAX_SUBSCRIPTIONS, uris.length);
  const length = uris.reduce((sum, uri) => sum + uri.length, 0);
  if (length > MAX_WATCHED) throw new LimitExceededError("characters of subscriptions", MAX_WATCHED, length);
}

/** Subscribes the client to changes of a resource. @throws ResourceNotFoundError */
export function subscribe(resources: Resources, context: RequestContext): MaybePromise<JsonObject> {
  const uri = context.params["uri"] as string; // checked by the codec
  if (findResource(resources, uri, context) === undefined) throw new ResourceNotFoundError(uri);
  const subscriptions = (context.connection.subscriptions ??= new Set());
  if (!subscriptions.has(uri)) assertWatchable([...subscriptions, uri]);
  subscriptions.add(uri);
  return keepSubscriptions(context.connection, (kept) => kept.add(uri));
}

export function unsubscribe({ connection, params }: RequestContext): MaybePromise<JsonObject> {
  const uri = params["uri"] as string; // checked by the codec
  connection.subscriptions?.delete(uri);
  return keepSubscriptions(connection, (kept) => kept.delete(uri));
}

/** Resolves with the empty result when other processes that serve the connection can know of the change. */
function keepSubscriptions(connection: Connection, change: (uris: Set<string>) => unknown): MaybePromise<JsonObject> {
  const keeping = connection.keep((facts) => {
    const subscriptions = new Set(facts?.subscriptions);
    change(subscriptions);
    return { ...facts!, subscriptions: [...subscriptions] }; // the handshake has made them
  });
  return andThen(keeping, () => ({}));
}

/** Notifies a stateful client of a change, if it is subscribed and may know of it. */
export function notifyOf(change: Change, connection: Connection, features: Features): void {
  if (connection.state !== "initialized" || (connection.caller && !isConcerned(change, connection.caller, features))) return;
  if (change.kind !== "resource") connection.notify(LIST_CHANGED[change.kind]);
  else if (connection.subscriptions?.has(change.uri)) connection.notify("notifications/resources/updated", paramsOf(change));
}

/** Notifies a stateful client that changes were lost: every list and every resource that it watches may have changed. */
export function notifyOfLoss(connection: Connection, features: Features): void {
  for (const change of everyChange(connection.subscriptions)) notifyOf(change, connection, features);
}

export function isConcerned(change: Change, caller: Caller, features: Features): boolean {
  if (change.kind !== "resource") return change.concerns === undefined || change.concerns.some((isOf) => isOf(caller));
  return findResource(features, change.uri, caller) !== undefined || findResource(features, change.uri) === undefined;
}

const updated = new WeakMap<Change, JsonObject>();

/** One frozen object for all connections, so that it is serialized once. */
function paramsOf(change: Change & { readonly kind: "resource" }): JsonObject {
  let params = updated.get(change);
  if (params === undefined) updated.set(change, (params = Object.freeze({ uri: change.uri })));
  return params;
}
