/**
 * Messages to text: the one way out, for every transport and both roles.
 *
 * The text never holds a raw line break, so it may be written as a line, unless a `JsonText` brought one along.
 */
import { HeadedResult } from "./headed-result.ts";
import { isBatch, type Outgoing } from "./incoming.ts";
import { isJsonObject, JsonText, type JsonObject, type JSONRPCMessage, type JSONRPCResponse } from "./message.ts";
import { notificationText } from "./notification-text.ts";

export { cloneJson } from "./clone-json.ts";

/**
 * The JSON text of a message or a batch. A {@link JsonText} result is written as it stands, without being parsed again.
 *
 * @throws TypeError where it cannot be written: a cycle, a BigInt, a result that is nothing in JSON
 */
export function stringifyMessage(message: Outgoing): string {
  return isBatch(message) ? `[${message.map(stringifyOne).join(",")}]` : stringifyOne(message);
}

/**
 * The JSON text of a result.
 * @throws TypeError for what has no JSON form, or is no object in JSON
 */
export function stringifyResult(result: JsonObject): string {
  if (result instanceof HeadedResult) return result.stringify();
  const text: string | undefined = JSON.stringify(result);
  // What JSON drops (a function, a `toJSON` that returns undefined) would leave a response that is none. Not looked at without
  // need: V8 makes a text in pieces, and joins them for whoever looks, which writing does once for all messages.
  if (text !== undefined && (isPlain(result) || text.startsWith("{"))) return text;
  throw new TypeError("A result must be an object");
}

/** Whether it is nothing but its members, in JSON too. */
function isPlain(value: unknown): boolean {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype && value["toJSON"] === undefined;
}

function withoutResult(message: Exclude<JSONRPCMessage, JSONRPCResponse>): string {
  if (!("method" in message) || "id" in message || message.params === undefined) return JSON.stringify(message);
  return notificationText(message.method, message.params);
}

function stringifyOne(message: JSONRPCMessage): string {
  if (!("result" in message)) return withoutResult(message);
  const { id, result } = message;
  const text = result instanceof JsonText ? result.text : stringifyResult(result);
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${text}}`;
}
