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

/** What is read as `{}` if it must be there and is not: these say what a peer can and who it is. */
const MADE = /Capabilities$|^Implementation$/;

/** What is mended in a type beside its shape, by name. */
export const MENDED_TYPES: Readonly<Record<string, Mend>> = {
  ObjectSchema: (value, path, findings) => mendSchema(toObjectSchema(value, path, findings, { type: "object" }), path, findings),
  AnySchema: (value, path, findings) => mendSchema(toObjectSchema(value, path, findings), path, findings),
  PropertySchema: (value, path, findings) => toObjectSchema(value, path, findings),
  CallToolResult: withContent,
  Implementation: withUnknown("name", "version"),
  CreateMessageResult: withUnknown("model"),
  ContentBlock: toBlock,
  SamplingMessageContentBlock: toBlock,
  ServerCapabilities: withObjects,
  ClientCapabilities: withObjects,
};

/** An object with the members that it must have and that are null or missing, where that has one meaning. Returns the same object if there is none. */
export function withoutNulls(value: JsonObject, required: readonly ShapeMember[], path: string, findings: Findings): JsonObject {
  let whole: JsonObject | undefined;
  for (const { name, term } of required) {
    const before = value[name];
    const made = isAbsent(before, findings) ? madeOf(term, before, findings) : undefined;
    if (made === undefined) continue;
    addAbsent(before, `${path}.${name}`, findings);
    (whole ??= { ...value })[name] = made;
  }
  return whole ?? value;
}

/** Only a result is read without what must be there: a request is answered with what it lacks. */
function isAbsent(value: unknown, { leavesOut }: Findings): boolean {
  return value === null || (leavesOut && value === undefined);
}

/** A list that is missing is not made: nothing says that the message has the right form. */
function madeOf(term: string, before: unknown, findings: Findings): unknown {
  const item = itemOf(term);
  if (item !== undefined) return before === null && findings.leavesOut && ENTRIES.has(item) ? [] : undefined;
  return MADE.test(term) ? {} : undefined;
}

function addAbsent(before: unknown, path: string, findings: Findings): void {
  const kind = before === null ? "null" : "missing";
  findings.add(kind, path, `is ${kind}`);
}

/** The texts of these names are `unknown` if they are null or missing. */
function withUnknown(...names: readonly string[]): Mend {
  return (value, path, findings) => {
    if (!isJsonObject(value)) return value;
    const absent = names.filter((name) => isAbsent(value[name], findings));
    for (const name of absent) addAbsent(value[name], `${path}.${name}`, findings);
    return { ...value, ...Object.fromEntries(absent.map((name) => [name, UNKNOWN])) };
  };
}

/** A text is a block of text, and a list of one block is that block. */
function toBlock(value: unknown, path: string, findings: Findings): unknown {
  if (Array.isArray(value) ? value.length !== 1 : typeof value !== "string") return value;
  findings.add("single", path, "is not an object");
  return Array.isArray(value) ? (value[0] as unknown) : { type: "text", text: value };
}

/** `true` allows everything and `false` nothing. @param base what the schema of the place must have in any case */
function toObjectSchema(schema: unknown, path: string, findings: Findings, base: JsonObject = {}): unknown {
  if (typeof schema !== "boolean") return schema;
  findings.add("boolean-schema", path, `is the schema ${schema}, not an object`);
  return schema ? base : { ...base, not: {} };
}

/** Structured content says what the blocks would. */
function withContent(result: unknown, path: string, findings: Findings): unknown {
  if (!isJsonObject(result) || (result["content"] ?? undefined) !== undefined || result["structuredContent"] === undefined) return result;
  addAbsent(undefined, `${path}.content`, findings);
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
