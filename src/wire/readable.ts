/**
 * Whether what this side answers can be read by the other: a handler's result is checked as the peer would check it, once it
 * is in the words of the revision. For servers; clients check what their callbacks answer as they check everything they read.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { RevisionMessages } from "./revision-messages.ts";

/** A result of this side that no peer could read; the message is for the operator. */
export class UnreadableResultError extends TypeError {}

/**
 * The result, with the lists it left out. Judged by its JSON where it does not fit as it is: there a `URL` is a string.
 * @throws UnreadableResultError
 */
export function readable(messages: RevisionMessages, method: string, result: JsonObject): JsonObject {
  if (method === "tools/call" && isOneText(result)) return result;
  const reading = messages.reading("results", method);
  const filled = reading?.fill?.(result) ?? result;
  const problem = reading?.check(filled) && reading.check(JSON.parse(JSON.stringify(filled)));
  if (problem) throw new UnreadableResultError(`result${problem}`);
  return filled;
}

/** What most calls end with, told without its shape: a single block that is nothing but text. */
function isOneText({ content, isError, _meta }: JsonObject): boolean {
  if (!Array.isArray(content) || content.length !== 1 || isError !== undefined || _meta !== undefined) return false;
  const { type, text, annotations, _meta: own } = (content[0] ?? {}) as JsonObject; // as good as any: nothing else has these members
  return type === "text" && typeof text === "string" && annotations === undefined && own === undefined;
}
