/**
 * What is made of single types that do not fit: a member that must be there and is null, where null has one meaning, and one item in the
 * place of a list of one.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { Findings } from "./deviations.ts";
import { mendSchema } from "./schema-mending.ts";
import { itemOf, type ShapeMember } from "./shape.ts";

/** Returns its argument if there is nothing to mend. @param path where the value is: `.tools[0]` */
export type Mend = (value: unknown, path: string, findings: Findings) => unknown;

/** What a program is called that does not say its name or its version. */
const UNKNOWN = "unknown";

/** Entries of lists that are useful without one of them. If such a list is null, it is empty: languages with nil write it so. */
export const ENTRIES: ReadonlySet<string> = new Set([
  ...["Tool", "Resource", "ResourceTemplate", "Prompt", "Root", "Task", "string"],
  ...["ContentBlock", "Contents", "PromptMessage"],
]);

/** What is mended in a type beside its shape, by name. */
export const MENDED_TYPES: Readonly<Record<string, Mend>> = {
  ObjectSchema: (value, path, findings) =>
    ofObjects(mendSchema(toObjectSchema(value, path, findings, { type: "object" }), path, findings), path, findings),
  AnySchema: (value, path, findings) => mendSchema(toObjectSchema(value, path, findings), path, findings),
  PropertySchema: (value, path, findings) => toObjectSchema(value, path, findings),
  CallToolResult: withContent,
  Implementation: withUnknown("name", "version"),
  CreateMessageResult: withUnknown("model"),
  ContentBlock: (value, path, findings) => toBlock(isListOfOne(value) ? value[0] : value, path, findings, value),
  SamplingMessageContentBlock: toBlock,
  ServerCapabilities: withObjects,
  ClientCapabilities: withObjects,
};

/** An object with the members that it must have and that are null, where null has one meaning. Returns the same object if there is none. */
export function withoutNulls(value: JsonObject, required: readonly ShapeMember[], path: string, findings: Findings): JsonObject {
  let whole: JsonObject | undefined;
  for (const { name, term } of required) {
    const made = value[name] === null ? madeOf(term, findings) : undefined;
    if (made === undefined) continue;
    findings.add("null", `${path}.${name}`, "is null");
    (whole ??= { ...value })[name] = made;
  }
  return whole ?? value;
}

function madeOf(term: string, findings: Findings): unknown {
  const item = itemOf(term);
  if (item !== undefined) return findings.leavesOut && ENTRIES.has(item) ? [] : undefined;
  if (term === "Implementation") return { name: UNKNOWN, version: UNKNOWN };
  return term.endsWith("Capabilities") ? {} : undefined;
}

/** The texts of these names are `unknown` if they are null. One that is missing stays an error: nothing says that the message has the right form. */
function withUnknown(...names: readonly string[]): Mend {
  return (value, path, findings) => {
    const absent = isJsonObject(value) ? names.filter((name) => value[name] === null) : [];
    for (const name of absent) findings.add("null", `${path}.${name}`, "is null");
    return absent.length === 0 ? value : { ...(value as JsonObject), ...Object.fromEntries(absent.map((name) => [name, UNKNOWN])) };
  };
}

const isListOfOne = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length === 1;

/** A text is a block of text. @param before what stood in the place of the block */
function toBlock(value: unknown, path: string, findings: Findings, before = value): unknown {
  if (value === before && typeof value !== "string") return value;
  findings.add("single", path, "is not an object");
  return typeof value === "string" ? { type: "text", text: value } : value;
}

/** `true` allows everything and `false` nothing. @param base what the schema of the place must have in any case */
function toObjectSchema(schema: unknown, path: string, findings: Findings, base: JsonObject = {}): unknown {
  if (typeof schema !== "boolean") return schema;
  findings.add("boolean-schema", path, `is the schema ${schema}, not an object`);
  return schema ? base : { ...base, not: {} };
}

/** Arguments and structured content are objects, whether their schema says so or not. */
function ofObjects(schema: unknown, path: string, findings: Findings): unknown {
  if (!isJsonObject(schema) || schema["type"] !== undefined) return schema;
  findings.add("untyped-schema", path, "has no type");
  return { ...schema, type: "object" };
}

/** Structured content says what the blocks would. */
function withContent(result: unknown, path: string, findings: Findings): unknown {
  if (!isJsonObject(result) || (result["content"] ?? undefined) !== undefined || result["structuredContent"] === undefined) return result;
  findings.add("missing-content", `${path}.content`, "is missing beside structuredContent");
  return { ...result, content: [] };
}

/** A capability is an object: `true` says that it is there, `false` that it is not. */
function withObjects(capabilities: unknown, path: string, findings: Findings): unknown {
  if (!isJsonObject(capabilities) || !Object.values(capabilities).some((one) => typeof one === "boolean")) return capabilities;
  const members = Object.entries(capabilities).flatMap(([name, value]) => {
    if (typeof value !== "boolean") return [[name, value]];
    findings.add("boolean-capability", `${path}.${name}`, "is not an object");
    return value ? [[name, {}]] : [];
  });
  return Object.fromEntries(members) as JsonObject; // its own members
}
