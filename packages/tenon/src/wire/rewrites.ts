/**
 * Replaces a value that a revision cannot express by the nearest one that it can express, never by nothing.
 *
 * Each entry belongs to a type of the shapes and to the last revision that needs it. All other values are returned unchanged.
 */
import { ErrorCode, McpError } from "../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

interface Rewrite {
  /** The newest revision that needs it. */
  readonly until: ProtocolVersion;
  /** `has` says whether the target revision has that kind of value, well-formed or not. */
  readonly rewrite: (value: unknown, has: (value: unknown) => boolean) => unknown;
}
/** By the name of the type in the shapes. */
type Rewrites = Readonly<Record<string, Rewrite>>;

export const rewrites: Rewrites = {
  ObjectSchema: { until: "2025-11-25", rewrite: withoutBooleanSchemas },
  ContentBlock: { until: "2025-03-26", rewrite: toKnownBlock },
  SamplingMessageContentBlock: { until: "2025-06-18", rewrite: toKnownBlock },
  SamplingContents: { until: "2025-06-18", rewrite: oneBlock },
  SamplingMessages: { until: "2025-06-18", rewrite: oneBlockEach },
  PrimitiveSchemaDefinition: { until: "2025-06-18", rewrite: toEnumNames },
  ElicitValue: { until: "2025-06-18", rewrite: oneValue },
  ElicitRequestParams: { until: "2025-06-18", rewrite: refuseUrl },
  ListRootsRequest: { until: "2026-07-28", rewrite: withParams },
};

/** Replaces boolean schemas by schemas of objects: `true` by `{}`, `false` by `{ not: {} }`. */
function withoutBooleanSchemas(schema: unknown): unknown {
  if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return schema;
  const properties = Object.entries(schema["properties"]);
  if (!properties.some(([, property]) => typeof property === "boolean")) return schema;
  return { ...schema, properties: Object.fromEntries(properties.map(([name, property]) => [name, toObjectSchema(property)])) };
}

function toObjectSchema(schema: unknown): unknown {
  if (typeof schema !== "boolean") return schema;
  return schema ? {} : { not: {} };
}

/** Replaces a kind of block that the revision does not have by text. */
function toKnownBlock(block: unknown, has: (block: unknown) => boolean): unknown {
  return has(block) ? block : { type: "text", text: textOf(block) };
}

function mentionOf(block: unknown): string {
  if (!isJsonObject(block)) return "";
  const { type, text, uri, mimeType } = block;
  if (typeof text === "string") return text;
  return typeof uri === "string" ? uri : `[${[`${String(type)}:`, mimeType].filter(Boolean).join(" ")}]`;
}

/** The text of a block; of a use of a tool its input, of the result of one its content. */
function textOf(block: unknown): string {
  if (!isJsonObject(block)) return "";
  const { type, name, input, content } = block;
  if (Array.isArray(content)) return content.map(textOf).join("\n");
  return input === undefined ? mentionOf(block) : `[${String(type)}: ${String(name)} ${JSON.stringify(input)}]`;
}

/** Splits a message with several blocks into several messages of the same role. */
function oneBlockEach(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some((message: unknown) => isJsonObject(message) && Array.isArray(message["content"])))
    return messages;
  return messages.flatMap((message: unknown) => {
    if (!isJsonObject(message) || !Array.isArray(message["content"])) return [message];
    return message["content"].map((content: unknown) => ({ ...message, content }));
  });
}

function oneBlock(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.length === 1 ? content[0] : { type: "text", text: content.map(textOf).join("\n") };
}

/** Writes titled choices as `enum` with `enumNames`. */
function toEnumNames(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  if (schema["type"] === "array") throw new McpError(ErrorCode.InvalidParams, "This client cannot be asked for several choices at once");
  if (!Array.isArray(schema["oneOf"])) return schema;
  const { oneOf, ...rest } = schema as JsonObject & { oneOf: { const?: unknown; title?: unknown }[] };
  return { ...rest, enum: oneOf.map((choice) => choice.const), enumNames: oneOf.map((choice) => choice.title) };
}

function oneValue(value: unknown): unknown {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Adds the params that may be missing: the client of the Go SDK cannot read a question without them. */
function withParams(question: unknown): unknown {
  return isJsonObject(question) && question["params"] === undefined ? { ...question, params: {} } : question;
}

function refuseUrl(params: unknown): unknown {
  if (isJsonObject(params) && params["mode"] === "url") throw new McpError(ErrorCode.InvalidParams, "This client cannot be sent to a URL");
  return params;
}
