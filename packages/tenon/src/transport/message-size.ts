/**
 * The size of a message that another frame or worker posted, before anything reads it.
 *
 * A structured clone is more than JSON: it has cycles, values that are shared and so grow when they are written, arrays of four billion
 * holes, and buffers. So the value is walked, with a limit, and only then written as text.
 */
import { LimitExceededError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject } from "../jsonrpc/message.ts";

const MAX_DEPTH = 64;

/** The JSON text of a message. @throws LimitExceededError above `max` characters; ProtocolViolationError if it is not plain JSON */
export function toBoundedText(message: unknown, max: number): string {
  let left = max;
  const spend = (characters: number): void => {
    left -= characters;
    if (left < 0) throw new LimitExceededError("limits.maxMessageSize", max);
  };
  const visit = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH) throw new ProtocolViolationError(`A message is nested deeper than ${MAX_DEPTH}`);
    if (typeof value === "string") return spend(value.length + 2);
    if (typeof value !== "object" || value === null) return spend(4);
    if (Array.isArray(value)) {
      spend(value.length + 2);
      for (const item of value) visit(item, depth + 1);
    } else if (isPlain(value)) {
      spend(2);
      for (const key of Object.keys(value)) {
        spend(key.length + 4);
        visit(value[key], depth + 1);
      }
    } else throw new ProtocolViolationError("A message has a value that JSON has not");
  };
  visit(message, 0);
  try {
    return JSON.stringify(message) ?? "null";
  } catch (cause) {
    throw new ProtocolViolationError("A message has a value that JSON has not", undefined, { cause }); // a big integer
  }
}

function isPlain(value: object): value is Record<string, unknown> {
  return isJsonObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}
