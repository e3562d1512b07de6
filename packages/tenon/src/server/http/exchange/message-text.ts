/**
 * Serializes messages that are sent over HTTP.
 *
 * A notification to many sessions is one frozen object. It is serialized once, because a frozen object cannot change.
 */
import { stringifyExact } from "../../../jsonrpc/exact-numbers.ts";
import { isNotification, type JsonObject, type JSONRPCMessage, type JSONRPCNotification } from "../../../jsonrpc/message.ts";
import { stringifyNotification } from "../../../jsonrpc/serialise.ts";

const bare = new Map<string, string>();
const shared = new WeakMap<object, { method: string; text: string }>();
/** Methods whose text is kept. A server sends few. */
const MAX_KEPT = 32;

export function messageText(message: JSONRPCMessage): string {
  if (!isNotification(message)) return stringifyExact(message);
  const { method, params } = message;
  if (params === undefined) return bareText(message);
  return Object.isFrozen(params) ? sharedText(method, params) : stringifyNotification(method, params);
}

function bareText(message: JSONRPCNotification): string {
  let text = bare.get(message.method);
  if (text === undefined) {
    text = JSON.stringify(message);
    if (bare.size < MAX_KEPT) bare.set(message.method, text);
  }
  return text;
}

function sharedText(method: string, params: JsonObject): string {
  const known = shared.get(params);
  if (known?.method === method) return known.text;
  const text = stringifyNotification(method, params);
  shared.set(params, { method, text });
  return text;
}
