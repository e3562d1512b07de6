/**
 * The text of a notification or request that leaves. One that goes to many sessions, the same object each time, is
 * serialised once: what is frozen cannot have changed since.
 */
import type { JSONRPCNotification, JSONRPCRequest, JSONRPCMessage } from "../../jsonrpc/message.ts";

const bare = new Map<string, string>();
const shared = new WeakMap<object, { method: string; text: string }>();
/** Methods whose text is kept: there are few that have no params. */
const MAX_BARE = 32;

export function messageText(message: JSONRPCMessage): string {
  if (!("method" in message) || "id" in message) return JSON.stringify(message);
  return message.params === undefined ? bareText(message) : sharedText(message);
}

function bareText(message: JSONRPCNotification): string {
  let text = bare.get(message.method);
  if (text === undefined) {
    text = JSON.stringify(message);
    if (bare.size < MAX_BARE) bare.set(message.method, text);
  }
  return text;
}

function sharedText(message: JSONRPCNotification | JSONRPCRequest): string {
  const { method, params } = message;
  if (params === undefined || !Object.isFrozen(params)) return JSON.stringify(message);
  const known = shared.get(params);
  if (known?.method === method) return known.text;
  const text = JSON.stringify(message);
  shared.set(params, { method, text });
  return text;
}
