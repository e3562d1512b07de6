/**
 * Adds lists that deployed peers omit if they are empty. The codec adds them when it reads a message, so that no code above has to
 * check. A value that has them is returned unchanged.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { MessageKind } from "./revision.ts";

type Fill = (value: JsonObject) => JsonObject;

/** How to add the lists of a message, by kind and method. */
export const defaults: Readonly<Record<MessageKind, ReadonlyMap<string, Fill>>> = {
  params: new Map([["sampling/createMessage", fillSampling]]),
  results: new Map([["tools/call", fillToolResult]]),
};

/** A call that became a task has no content. */
function fillToolResult(result: JsonObject): JsonObject {
  return result["task"] === undefined ? withContent(result) : result;
}

function withContent(value: JsonObject): JsonObject {
  return value["content"] === undefined ? { ...value, content: [] } : value;
}

/** Fills the questions inside a result, each as the request of that method. */
export function fillQuestions(result: JsonObject): JsonObject {
  const questions = result["inputRequests"];
  if (!isJsonObject(questions)) return result;
  return {
    ...result,
    inputRequests: Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, fillQuestion(question)])),
  };
}

function fillQuestion(question: unknown): unknown {
  if (!isJsonObject(question) || !isJsonObject(question["params"])) return question;
  const fill = defaults.params.get(String(question["method"]));
  return fill ? { ...question, params: fill(question["params"]) } : question;
}

function fillSampling(params: JsonObject): JsonObject {
  return { ...params, messages: mapList(params["messages"], fillMessage) };
}

function fillMessage(message: unknown): unknown {
  if (!isJsonObject(message)) return message;
  const { content } = message;
  return { ...message, content: Array.isArray(content) ? mapList(content, fillBlock) : fillBlock(content) };
}

function fillBlock(block: unknown): unknown {
  return isJsonObject(block) && block["type"] === "tool_result" ? withContent(block) : block;
}

function mapList(list: unknown, fill: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(fill) : list;
}
