/**
 * Makes a form of a schema: the flat subset of JSON Schema that elicitation has (MCP 2025-11-25, Elicitation, Requested Schema).
 *
 * A form has only what a person fills in; rules that it cannot express (patterns, exclusive bounds) are applied to the answer. The
 * codec handles the differences between revisions.
 */
import { isJsonObject, type JsonObject } from "../../../jsonrpc/message.ts";
import { targetOf } from "../../../base/json-pointer.ts";
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

/**
 * References inside the schema are replaced by what they refer to, unions of constants are choices with their titles, and a field that
 * may be null may be left out. @throws TypeError naming the field that cannot be in a form
 */
export function toForm(schema: JsonObject, what: string): ElicitRequestedSchema {
  const { properties = {}, required } = schema;
  if (schema["type"] !== "object" || !isJsonObject(properties))
    throw new TypeError(`The schema of ${what} must be an object with properties`);
  const flat = Object.entries(properties).map(([name, field]) => [name, flatten(field, schema)] as const);
  const fields = flat.map(([name, { field }]) => [name, toField(field, schema, `Field "${name}" of ${what}`)] as const);
  const form: ElicitRequestedSchema = { type: "object", properties: Object.fromEntries(fields) };
  const nullable = new Set(flat.flatMap(([name, { isNullable }]) => (isNullable ? [name] : [])));
  const needed = Array.isArray(required) ? (required as string[]).filter((name) => !nullable.has(name)) : []; // a JSON Schema's list of names
  return needed.length > 0 ? { ...form, required: needed } : form;
}

/** The answer with null for the fields that the schema needs and that the form let the user leave out. */
export function withNulls(content: JsonObject, schema: JsonObject, form: ElicitRequestedSchema): JsonObject {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as string[]) : []; // a JSON Schema's list of names
  const left = required.filter((name) => form.required?.includes(name) !== true && content[name] === undefined);
  return left.length === 0 ? content : { ...content, ...Object.fromEntries(left.map((name) => [name, null])) };
}

/** How many references and unions may stand inside each other before a field. */
const MAX_HOPS = 8;

/** A field without references and without null among its alternatives. What stands beside a reference wins. */
function flatten(given: unknown, root: JsonObject): { readonly field: unknown; readonly isNullable: boolean } {
  let field = given;
  let isNullable = false;
  for (let hop = 0; hop < MAX_HOPS && isJsonObject(field); hop++) {
    const { $ref, allOf, anyOf, oneOf, type, ...beside } = field;
    const union = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
    const values = union?.filter((part) => !isJsonObject(part) || part["type"] !== "null");
    const isOnly = values?.length === 1 && (union?.length === 2 || objectOf(values[0])["const"] === undefined); // one choice stays a choice
    if (typeof $ref === "string") field = { ...objectOf(targetOf(root, $ref)), ...beside };
    else if (Array.isArray(allOf) && allOf.length === 1) field = { ...objectOf(allOf[0]), ...(type !== undefined && { type }), ...beside };
    else if (isOnly) field = { ...objectOf(values[0]), ...beside };
    else if (Array.isArray(type) && type.includes("null") && type.length === 2)
      field = { ...field, type: type.find((name) => name !== "null") };
    else {
      isNullable ||= union !== undefined && values?.length !== union.length;
      return {
        field: isNullable && values !== undefined ? { ...beside, ...(type !== undefined && { type }), anyOf: values } : field,
        isNullable,
      };
    }
    isNullable ||= (isOnly && union?.length === 2) || (Array.isArray(type) && type.includes("null"));
  }
  return { field, isNullable };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A choice of a union of constants; undefined if a part of it is something else. */
function choicesOf(
  schema: unknown,
  root: JsonObject,
): readonly { readonly const: string; readonly title: string | undefined }[] | undefined {
  const union = isJsonObject(schema) ? (schema["anyOf"] ?? schema["oneOf"]) : undefined;
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const choices = union.map((part) => {
    const { field } = flatten(part, root);
    if (!isJsonObject(field)) return undefined;
    const [only] = Array.isArray(field["enum"]) && field["enum"].length === 1 ? (field["enum"] as unknown[]) : [field["const"]];
    if (typeof only !== "string") return undefined;
    const title = typeof field["title"] === "string" ? field["title"] : field["description"];
    return { const: only, title: typeof title === "string" ? title : undefined };
  });
  return choices.every((choice) => choice !== undefined) ? choices : undefined;
}

function toField(schema: unknown, root: JsonObject, what: string): PrimitiveSchemaDefinition {
  if (!isJsonObject(schema)) throw new TypeError(`${what} must be a schema`);
  const choices = choicesOf(schema, root);
  if (choices !== undefined) return toChoice(schema, choices);
  const {
    type = typeof (schema["const"] ?? (Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[])[0] : undefined)),
    const: only,
    format,
  } = schema;
  const keywords = KEYWORDS.get(type);
  if (keywords === undefined) {
    throw new TypeError(`${what} must be a string, a number, an integer, a boolean or a choice: forms have nothing else`);
  }
  const field: JsonObject = { type };
  for (const keyword of [...COMMON, ...keywords]) if (schema[keyword] !== undefined) field[keyword] = schema[keyword];
  if (type === "string" && typeof only === "string") field["enum"] = [only];
  if (type === "string" && FORMATS.has(format)) field["format"] = format;
  if (type === "array") field["items"] = toChoices(flatten(schema["items"], root).field, root, what);
  return field as PrimitiveSchemaDefinition; // built from its keywords
}

/** One of several texts, with titles if any of them has one. */
function toChoice(schema: JsonObject, choices: NonNullable<ReturnType<typeof choicesOf>>): PrimitiveSchemaDefinition {
  const field: JsonObject = { type: "string" };
  for (const keyword of COMMON) if (schema[keyword] !== undefined) field[keyword] = schema[keyword];
  if (choices.every(({ title }) => title === undefined)) field["enum"] = choices.map((choice) => choice.const);
  else field["oneOf"] = titled(choices);
  return field as PrimitiveSchemaDefinition; // built from its keywords
}

function titled(choices: NonNullable<ReturnType<typeof choicesOf>>): readonly JsonObject[] {
  return choices.map((choice) => ({ const: choice.const, title: choice.title ?? choice.const }));
}

function toChoices(items: unknown, root: JsonObject, what: string): JsonObject {
  const choices = choicesOf(items, root);
  if (choices?.every(({ title }) => title === undefined) === true) return { type: "string", enum: choices.map((choice) => choice.const) };
  if (choices !== undefined) return { anyOf: titled(choices) };
  if (isJsonObject(items) && Array.isArray(items["enum"])) return { type: "string", enum: items["enum"] };
  throw new TypeError(`${what} must list its choices ("items" with "enum" or "anyOf"): forms have no other lists`);
}
