/**
 * What becomes of values a revision cannot say: the nearest thing it can, never silence.
 *
 * Each entry belongs to a type of the shapes and to the last revision that needs it. Values that can be said are
 * returned as they are. What only questions need is in `asking-rewrites.ts`.
 */
import { isJsonObject } from "../jsonrpc/message.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

export interface Rewrite {
  /** The newest revision that needs it. */
  readonly until: ProtocolVersion;
  /** `has` tells whether the revision that is written has that kind of value, well-formed or not. */
  readonly rewrite: (value: unknown, has: (value: unknown) => boolean) => unknown;
}
/** By name of the type in the shapes. */
export type Rewrites = Readonly<Record<string, Rewrite>>;

export const rewrites: Rewrites = {
  ObjectSchema: { until: "2025-11-25", rewrite: withoutBooleanSchemas },
  ContentBlock: { until: "2025-03-26", rewrite: toKnownBlock },
};

/** Boolean schemas as schemas of objects: `true` is `{}`, `false` is `{ not: {} }`. */
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

/** A kind of block the revision does not have becomes the text that says most of it. */
function toKnownBlock(block: unknown, has: (block: unknown) => boolean): unknown {
  return has(block) ? block : { type: "text", text: mentionOf(block) };
}

/** What says most of a block in words. */
export function mentionOf(block: unknown): string {
  if (!isJsonObject(block)) return "";
  const { type, text, uri, mimeType } = block;
  if (typeof text === "string") return text;
  return typeof uri === "string" ? uri : `[${[`${String(type)}:`, mimeType].filter(Boolean).join(" ")}]`;
}
