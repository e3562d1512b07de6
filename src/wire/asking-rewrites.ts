/** What becomes of questions, and of answers to them, that a revision cannot say (`rewrites.ts`). Loaded with the first one. */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { mentionOf, type Rewrites } from "./rewrites.ts";

export const askingRewrites: Rewrites = {
  SamplingMessageContentBlock: { until: "2025-06-18", rewrite: toKnownBlock },
  SamplingContents: { until: "2025-06-18", rewrite: oneBlock },
  SamplingMessages: { until: "2025-06-18", rewrite: oneBlockEach },
  PrimitiveSchemaDefinition: { until: "2025-06-18", rewrite: toEnumNames },
  ElicitValue: { until: "2025-06-18", rewrite: oneValue },
  ElicitRequestParams: { until: "2025-06-18", rewrite: refuseUrl },
};

function toKnownBlock(block: unknown, has: (block: unknown) => boolean): unknown {
  return has(block) ? block : { type: "text", text: textOf(block) };
}

function textOf(block: unknown): string {
  if (!isJsonObject(block)) return "";
  const { type, name, input, content } = block;
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  return input === undefined ? mentionOf(block) : `[${String(type)}: ${String(name)} ${JSON.stringify(input)}]`;
}

/** A message with several blocks becomes several messages of the same role. */
function oneBlockEach(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some((message: unknown) => isJsonObject(message) && Array.isArray(message["content"])))
    return messages;
  return messages.flatMap((message: unknown) => {
    if (!isJsonObject(message) || !Array.isArray(message["content"])) return [message];
    return message["content"].map((content: unknown) => ({ ...message, content }));
  });
}

/** Several blocks become one text; a single one stays what it is. */
function oneBlock(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.length === 1 ? content[0] : { type: "text", text: content.map(textOf).join("\n") };
}

/** Titled choices as `enum` with `enumNames`. */
function toEnumNames(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  if (schema["type"] === "array") throw new McpError(ErrorCode.InvalidParams, "This client cannot be asked for several choices at once");
  if (!Array.isArray(schema["oneOf"])) return schema;
  const { oneOf, ...rest } = schema as JsonObject & { oneOf: { const?: unknown; title?: unknown }[] };
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}

/** Several choices as one text. */
function oneValue(value: unknown): unknown {
  return Array.isArray(value) ? value.join(", ") : value;
}

function refuseUrl(params: unknown): unknown {
  if (isJsonObject(params) && params["mode"] === "url") throw new McpError(ErrorCode.InvalidParams, "This client cannot be sent to a URL");
  return params;
}
