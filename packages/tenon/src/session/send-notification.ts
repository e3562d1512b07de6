/**
 * A notification to a client, in the revision of its connection.
 *
 * A file of its own, because clients send such notifications about their answers, and need no revision of a server for it.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Outbound } from "../dispatch/dispatcher.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { isCoreMethod } from "../protocol/methods.ts";
import type { Codec } from "../wire/codec.ts";

/**
 * Sends a notification to a client, encoded for its revision. One of the specification is dropped if the revision does not have it;
 * a custom one is sent on every revision. Never fails.
 */
export function sendNotification(codec: Codec, outbound: Outbound, method: string, params: JsonObject | undefined): MaybePromise<void> {
  const exists = codec.hasNotification(method, "server") || !isCoreMethod(method);
  return exists ? outbound.notify(method, codec.encodeParams(method, params)) : undefined;
}
