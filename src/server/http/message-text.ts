/**
 * The text of a notification or request that leaves. One that goes to many sessions, the same object each time, is
 * serialised once: what is frozen cannot have changed since.
 */
import type { JsonObject, JSONRPCMessage, JSONRPCNotification } from "../../jsonrpc/message.ts";

const bare = new Map<string, string>();
const shared = new WeakMap<object, { method: string; text: string }>();
/** Methods whose text is kept: there are few that have no params. */
const MAX_BARE = 32;

export function messageText(message: JSONRPCMessage): string {
  if (!("method" in message) || "id" in message) return JSON.stringify(message);
  const { method, params } = message;
  if (params === undefined) return bareText(message);
  return Object.isFrozen(params) ? sharedText(method, params) : notificationText(method, params);
}

function bareText(message: JSONRPCNotification): string {
  let text = bare.get(message.method);
  if (text === undefined) {
    text = JSON.stringify(message);
    if (bare.size < MAX_BARE) bare.set(message.method, text);
  }
  return text;
}

/** Built around its params: nothing else of it has to be escaped but the name of the method. */
export function notificationText(method: string, params: JsonObject): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

function sharedText(method: string, params: JsonObject): string {
  const known = shared.get(params);
  if (known?.method === method) return known.text;
  const text = notificationText(method, params);
  shared.set(params, { method, text });
  return text;
}
