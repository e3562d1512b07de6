/** How changes reach the clients of stateful connections: as notifications, each only what its client may hear. */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Connection } from "../session/connection.ts";
import { LIST_CHANGED, type Change } from "./changes.ts";

/** What a stateful client hears: every list, and the resources it subscribed to. */
export function tellOf(change: Change, connection: Connection): void {
  if (connection.state !== "initialized") return;
  if (change.kind !== "resource") connection.notify(LIST_CHANGED[change.kind]);
  else if (connection.subscriptions?.has(change.uri)) connection.notify("notifications/resources/updated", paramsOf(change));
}

const updated = new WeakMap<Change, JsonObject>();

/** The same frozen object for every connection that hears of the change, so that it is serialised once (U3). */
function paramsOf(change: Change & { readonly kind: "resource" }): JsonObject {
  let params = updated.get(change);
  if (params === undefined) updated.set(change, (params = Object.freeze({ uri: change.uri })));
  return params;
}
