/**
 * What each API refuses in the messages of a request: calls without results, results without calls, media that it does not take.
 */
import type { Json, Provider } from "./schema-rules.ts";

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});

/** Why the API refuses the messages of a request; undefined if it takes them. */
export function refusalOfMessages(
  provider: Provider,
  body: Json,
  remembered: readonly Json[] = [],
  path = "",
): string | undefined {
  if (provider === "anthropic") return refusalOfAnthropic(list(body["messages"]));
  if (provider === "chat") return refusalOfChat(list(body["messages"]));
  if (provider === "gemini") return refusalOfGemini(list(body["contents"]), !/gemini-[12]\./.test(path));
  return refusalOfOpenAI([...remembered, ...list(body["input"])]);
}

function refusalOfAnthropic(messages: readonly Json[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const content = list(message["content"]);
    if (index > 0 && messages[index - 1]!["role"] === message["role"]) return "messages: roles must alternate";
    const calls = list(index === 0 ? [] : messages[index - 1]!["content"]).filter(({ type }) => type === "tool_use");
    const results = content.filter(({ type }) => type === "tool_result");
    if (content.slice(0, results.length).some(({ type }) => type !== "tool_result")) return "tool_result blocks must come first";
    for (const { id } of calls) {
      if (!results.some((result) => result["tool_use_id"] === id))
        return `tool_use ids were found without tool_result blocks immediately after: ${String(id)}`;
    }
    for (const result of results) {
      if (!calls.some(({ id }) => id === result["tool_use_id"])) return "unexpected tool_use_id found in tool_result blocks";
      const parts = list(result["content"]);
      if (result["is_error"] === true && parts.some(({ type }) => type !== "text"))
        return "all content must be type text if is_error is true";
      for (const part of parts) {
        if (part["type"] === "text" && part["text"] === "") return "text content blocks must be non-empty";
        const source = object(part["source"]);
        if (part["type"] === "image" && !/^image\/(jpeg|png|gif|webp)$/.test(String(source["media_type"])))
          return "media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
        if (!["text", "image", "document"].includes(String(part["type"])))
          return `Input tag '${String(part["type"])}' found using 'type' does not match`;
      }
    }
  }
  return list(messages.at(-1)?.["content"]).some(({ type }) => type === "tool_use")
    ? "the last message has calls without results"
    : undefined;
}

function refusalOfOpenAI(items: readonly Json[]): string | undefined {
  const calls = items.filter(({ type }) => type === "function_call").map((item) => item["call_id"]);
  const outputs = items.filter(({ type }) => type === "function_call_output");
  for (const id of calls)
    if (!outputs.some((output) => output["call_id"] === id)) return `No tool output found for function call ${String(id)}.`;
  for (const output of outputs) {
    if (!calls.includes(output["call_id"]))
      return `No tool call found for function call output with call_id ${String(output["call_id"])}.`;
    for (const part of list(output["output"])) {
      if (!["input_text", "input_image", "input_file"].includes(String(part["type"])))
        return `Invalid value: '${String(part["type"])}'.`;
    }
  }
  return undefined;
}

function refusalOfChat(messages: readonly Json[]): string | undefined {
  let open: unknown[] = [];
  for (const message of messages) {
    if (message["role"] === "tool") {
      if (!open.includes(message["tool_call_id"]))
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      if (typeof message["content"] !== "string") return "Invalid content type. image_url is only allowed for 'user' role.";
      open = open.filter((id) => id !== message["tool_call_id"]);
      continue;
    }
    if (open.length > 0)
      return (
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `Missing: ${open.join()}`
      );
    open = list(message["tool_calls"]).map(({ id }) => id);
  }
  return open.length > 0 ? "the last message has calls without results" : undefined;
}

function refusalOfGemini(contents: readonly Json[], needsSignatures: boolean): string | undefined {
  for (const [index, content] of contents.entries()) {
    const calls = list(contents[index - 1]?.["parts"]).filter((part) => "functionCall" in part);
    const responses = list(content["parts"]).filter((part) => "functionResponse" in part);
    if (calls.length !== responses.length)
      return (
        "Please ensure that the number of function response parts is equal to the number of function call parts of the " +
        "function call turn."
      );
    if (needsSignatures && calls.some((part) => part["thoughtSignature"] === undefined))
      return "Function call is missing a thought_signature in functionCall parts.";
    for (const part of responses) {
      if (/"\$(?:ref|defs)"/.test(JSON.stringify(object(part["functionResponse"])["response"])))
        return "Invalid function response: $ref is not supported";
    }
  }
  return undefined;
}
