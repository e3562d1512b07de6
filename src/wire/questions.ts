/** Questions in results, and what deployed peers leave out of them (`defaults.ts`). Loaded with the first one. */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { withContent, type Defaults } from "./defaults.ts";
import type { Reading } from "./revision-messages.ts";
import type { Checks } from "./shape.ts";

/** Of requests, and of questions inside results. */
export const askingDefaults: Defaults = new Map([
  ["sampling/createMessage", (params: JsonObject): JsonObject => ({ ...params, messages: mapList(params["messages"], fillMessage) })],
]);

/** A result that asks: its shape, and that it does ask something. */
export function readQuestions(checks: Checks): Reading {
  const check = checks.type("InputRequiredResult");
  return { check: (result) => check(result) ?? asksNothing(result as JsonObject), fill: fillQuestions }; // its shape is right
}

function asksNothing({ inputRequests, requestState }: JsonObject): string | undefined {
  return inputRequests === undefined && requestState === undefined ? " has neither inputRequests nor requestState" : undefined;
}

function fillQuestions(result: JsonObject): JsonObject {
  const questions = result["inputRequests"];
  if (!isJsonObject(questions)) return result;
  return {
    ...result,
    inputRequests: Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, fillQuestion(question)])),
  };
}

function fillQuestion(question: unknown): unknown {
  if (!isJsonObject(question) || !isJsonObject(question["params"])) return question;
  const fill = askingDefaults.get(String(question["method"]));
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

function mapList(list: unknown, fill: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(fill) : list;
}
