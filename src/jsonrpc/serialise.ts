/**
 * Messages to text: the one way out, for every transport and both roles.
 *
 * The text never holds a raw line break, so it may be written as a line, unless a `JsonText` brought one along.
 */
import { isBatch, type Outgoing } from "./incoming.ts";
import { JsonText, type JSONRPCMessage } from "./message.ts";

export { cloneJson } from "./clone-json.ts";

/**
 * The JSON text of a message or a batch. A {@link JsonText} result is written as it stands, without being parsed again.
 *
 * @throws TypeError where it cannot be written: a cycle, a BigInt, a result that is nothing in JSON
 */
export function stringifyMessage(message: Outgoing): string {
  return isBatch(message) ? `[${message.map(stringifyOne).join(",")}]` : stringifyOne(message);
}

function stringifyOne(message: JSONRPCMessage): string {
  if (!("result" in message)) return JSON.stringify(message);
  const { id, result } = message;
  const text = result instanceof JsonText ? result.text : JSON.stringify(result);
  // What JSON drops (a function, a `toJSON` that returns undefined) would leave a response that is none.
  if (text === undefined) throw new TypeError("The result has no JSON text");
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":${text}}`;
}
