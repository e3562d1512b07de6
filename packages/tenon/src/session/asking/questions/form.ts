/**
 * Makes a form of a schema: the flat subset of JSON Schema that elicitation has (MCP 2025-11-25, Elicitation, Requested Schema).
 *
 * A form has only what a person fills in; rules that it cannot express (patterns, exclusive bounds) are applied to the answer. The
 * codec handles the differences between revisions.
 */
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import type { ElicitRequestedSchema, PrimitiveSchemaDefinition } from "../../../protocol/elicitation.ts";

const FORMATS: ReadonlySet<unknown> = new Set(["email", "uri", "date", "date-time"]);
const COMMON = ["title", "description", "default"] as const;
/** The keywords of a field, by its type. */
const KEYWORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["string", ["minLength", "maxLength", "enum", "enumNames", "oneOf"]],
  ["number", ["minimum", "maximum"]],
  ["integer", ["minimum", "maximum"]],
  ["boolean", []],
  ["array", ["minItems", "maxItems"]],
]);

/** @throws TypeError naming the field that cannot be in a form */
export function toForm(schema: JsonObject, what: string): ElicitRequestedSchema {
  const { properties = {}, required } = schema;
  if (schema["type"] !== "object" || !isJsonObject(properties))
    throw new TypeError(`The schema of ${what} must be an object with properties`);
  const fields = Object.entries(properties).map(([name, field]) => [name, toField(field, `Field "${name}" of ${what}`)] as const);
  const form: ElicitRequestedSchema = { type: "object", properties: Object.fromEntries(fields) };
  return Array.isArray(required) && required.length > 0 ? { ...form, required: required as string[] } : form; // a JSON Schema's list of names
}

function toField(schema: unknown, what: string): PrimitiveSchemaDefinition {
  if (!isJsonObject(schema)) throw new TypeError(`${what} must be a schema`);
  const { type = typeof schema["const"], const: only, format, items } = schema;
  const keywords = KEYWORDS.get(type);
  if (keywords === undefined) {
    throw new TypeError(`${what} must be a string, a number, an integer, a boolean or a choice: forms have nothing else`);
  }
  const field: JsonObject = { type };
  for (const keyword of [...COMMON, ...keywords]) if (schema[keyword] !== undefined) field[keyword] = schema[keyword];
  if (type === "string" && typeof only === "string") field["enum"] = [only];
  if (type === "string" && FORMATS.has(format)) field["format"] = format;
  if (type === "array") field["items"] = toChoices(items, what);
  return field as PrimitiveSchemaDefinition; // built from its keywords
}

function toChoices(items: unknown, what: string): JsonObject {
  if (isJsonObject(items) && Array.isArray(items["anyOf"])) return { anyOf: items["anyOf"] };
  if (isJsonObject(items) && Array.isArray(items["enum"])) return { type: "string", enum: items["enum"] };
  throw new TypeError(`${what} must list its choices ("items" with "enum" or "anyOf"): forms have no other lists`);
}
