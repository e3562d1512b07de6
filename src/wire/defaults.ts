/**
 * Lists that deployed peers leave out where they are empty, put back on reading so that nobody above has to ask.
 * Values that have them are returned as they are.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

type Fill = (value: JsonObject) => JsonObject;

/** By method. A call that became a task has no content. */
export const resultDefaults: ReadonlyMap<string, Fill> = new Map([
  ["tools/call", (result: JsonObject): JsonObject => (result["task"] === undefined ? withContent(result) : result)],
]);

/** By method, for requests and for questions inside results. */
export const paramsDefaults: ReadonlyMap<string, Fill> = new Map([
  ["sampling/createMessage", (params: JsonObject): JsonObject => ({ ...params, messages: mapList(params["messages"], fillMessage) })],
]);

/** A question of a stateless server, and what it may have left out. */
export function fillQuestion(question: unknown): unknown {
  if (!isJsonObject(question) || !isJsonObject(question["params"])) return question;
  const fill = paramsDefaults.get(String(question["method"]));
  return fill ? { ...question, params: fill(question["params"]) } : question;
}

function fillMessage(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  return { ...message, content: Array.isArray(content) ? mapList(content, fillBlock) : fillBlock(content) };
}

function fillBlock(block: unknown): unknown {
  return isJsonObject(block) && block["type"] === "tool_result" ? withContent(block) : block;
}

function withContent(value: JsonObject): JsonObject {
  return value["content"] === undefined ? { ...value, content: [] } : value;
}

function mapList(list: unknown, fill: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(fill) : list;
}
