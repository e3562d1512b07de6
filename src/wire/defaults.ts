/**
 * Lists that deployed peers leave out where they are empty, put back on reading so that nobody above has to ask.
 * Values that have them are returned as they are. Those of questions are in `questions.ts`.
 */
import type { JsonObject } from "../jsonrpc/message.ts";

/** By method. */
export type Defaults = ReadonlyMap<string, (value: JsonObject) => JsonObject>;

/** A call that became a task has no content. */
export const resultDefaults: Defaults = new Map([
  ["tools/call", (result: JsonObject): JsonObject => (result["task"] === undefined ? withContent(result) : result)],
]);

export function withContent(value: JsonObject): JsonObject {
  return value["content"] === undefined ? { ...value, content: [] } : value;
}
