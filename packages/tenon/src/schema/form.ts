/**
 * A JSON Schema as the fields of a form: what kind of field it is, its choices, its variants and its members. For terminals, pages and
 * the arguments of a command line.
 *
 * It only reads what schemas say most often. Whether a value is valid is decided by the validator. Each function but `resolve`, `typesOf`
 * and `textChoicesOf` takes a schema that was resolved.
 */
import { targetOf } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** The kinds of fields. `choice`: one value of a list; `choices`: some values of a list; `union`: one schema of a list. */
export type FieldKind =
  | "choice"
  | "choices"
  | "union"
  | "object"
  | "map"
  | "list"
  | "tuple"
  | "text"
  | "number"
  | "boolean"
  | "null"
  | "any";

export interface Choice<Value = unknown> {
  readonly value: Value;
  readonly title: string;
}

/** Most references that are followed inside each other. */
const MAX_REFERENCES = 32;
/** Most variants inside variants that are followed, because a schema may refer to itself. */
const MAX_DEPTH = 8;
/** Most schemas that are looked at for one field: a short one can refer to its parts in millions of ways. */
const MAX_PARTS = 1_000;

interface Walk {
  /** The document that references point into. */
  readonly root: JsonObject;
  /** How many schemas may still be looked at. */
  left: number;
}

/** The schema itself, with local references followed and the parts of `allOf` joined. @param root the document that its references point into */
export function resolve(schema: unknown, root: JsonObject): JsonObject {
  return resolved(schema, { root, left: MAX_PARTS });
}

function resolved(schema: unknown, walk: Walk, depth = 0): JsonObject {
  if (!isJsonObject(schema) || walk.left-- <= 0) return {};
  const { $ref, allOf } = schema;
  if (typeof $ref === "string" && depth < MAX_REFERENCES) {
    const { $ref: _, ...rest } = schema;
    return { ...resolved(targetOf(walk.root, $ref), walk, depth + 1), ...rest };
  }
  if (!Array.isArray(allOf) || depth >= MAX_REFERENCES) return schema;
  const { allOf: _, ...rest } = schema;
  return allOf.map((part) => resolved(part, walk, depth + 1)).reduce(join, rest);
}

function join(one: JsonObject, other: JsonObject): JsonObject {
  const properties = { ...membersOf(one, "properties"), ...membersOf(other, "properties") };
  const required = [...requiredOf(one), ...requiredOf(other)];
  return { ...one, ...other, ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) };
}

export function membersOf(schema: JsonObject, name: "properties" | "patternProperties"): JsonObject {
  const members = schema[name];
  return isJsonObject(members) ? members : {};
}

export function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function kindOf(schema: JsonObject): FieldKind {
  const { type } = schema;
  if (choicesOf(schema).length > 0) return "choice";
  if (variantsOf(schema).length > 0) return "union";
  if (type === "array" || "items" in schema || "prefixItems" in schema) return listKind(schema);
  if (type === "object" || "properties" in schema || isJsonObject(schema["additionalProperties"])) return objectKind(schema);
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" || type === "null" ? type : "any";
}

function listKind(schema: JsonObject): FieldKind {
  if (tupleOf(schema).length > 0) return "tuple";
  const { items, uniqueItems } = schema;
  if (!isJsonObject(items) || choicesOf(items).length === 0) return "list";
  // A form of an elicitation chooses several values without `uniqueItems`.
  return uniqueItems === true || Array.isArray(items["anyOf"]) ? "choices" : "list";
}

function objectKind(schema: JsonObject): FieldKind {
  const isOpen = isJsonObject(schema["additionalProperties"]) || "patternProperties" in schema || "propertyNames" in schema;
  return isOpen && Object.keys(membersOf(schema, "properties")).length === 0 ? "map" : "object";
}

/** The schemas of the first items of a list. */
export function tupleOf({ prefixItems, items }: JsonObject): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
}

/** The schema of the values under names that `properties` does not have. */
export function valuesOf(schema: JsonObject): unknown {
  const { additionalProperties, patternProperties } = schema;
  if (isJsonObject(additionalProperties)) return additionalProperties;
  return isJsonObject(patternProperties) ? Object.values(patternProperties)[0] : {};
}

/** The values of an enumeration, however it is written; empty if the schema is not an enumeration. */
export function choicesOf(schema: JsonObject): readonly Choice[] {
  const { enum: values, enumNames, const: only } = schema;
  if ("const" in schema) return [{ value: only, title: titleOf(schema, only) }];
  if (Array.isArray(values)) {
    const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : []; // the older form has titles beside the values
    return values.map((value: unknown, index) => ({ value, title: titleOf({ title: names[index] }, value) }));
  }
  const parts: unknown = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every((part) => isJsonObject(part) && "const" in part)) return [];
  return (parts as JsonObject[]).map((part) => ({ value: part["const"], title: titleOf(part, part["const"]) })); // just checked
}

function titleOf({ title }: JsonObject, value: unknown): string {
  if (typeof title === "string") return title;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** The schemas of which a value fits one; empty if there is one only. */
export function variantsOf(schema: JsonObject): readonly JsonObject[] {
  const parts: unknown = schema["oneOf"] ?? schema["anyOf"];
  const { oneOf: _oneOf, anyOf: _anyOf, type, ...rest } = schema;
  if (Array.isArray(parts) && parts.length > 0)
    return parts.map((part) => (isJsonObject(part) ? { ...common(rest), ...(type !== undefined && { type }), ...part } : {}));
  return Array.isArray(type) ? type.map((one) => ({ ...rest, type: one as unknown, title: String(one) })) : [];
}

function common(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !["title", "description", "default"].includes(name)));
}

/** The JSON types that a schema allows; empty if it does not say. */
export function typesOf(given: unknown, root: JsonObject): string[] {
  return typesIn(given, { root, left: MAX_PARTS });
}

function typesIn(given: unknown, walk: Walk, depth = 0): string[] {
  const schema = resolved(given, walk);
  const { type } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  const choices = choicesOf(schema);
  if (choices.length > 0) return unique(choices.map(({ value }) => typeOf(value)));
  const variants = depth >= MAX_DEPTH || walk.left <= 0 ? [] : variantsOf(schema);
  return unique(variants.flatMap((variant) => typesIn(variant, walk, depth + 1)));
}

/** The texts that a schema allows; undefined if it allows other values too. */
export function textChoicesOf(given: unknown, root: JsonObject): string[] | undefined {
  return textChoicesIn(given, { root, left: MAX_PARTS });
}

function textChoicesIn(given: unknown, walk: Walk, depth = 0): string[] | undefined {
  const schema = resolved(given, walk);
  const values = choicesOf(schema).map(({ value }) => value);
  if (values.length > 0) return values.every((value) => typeof value === "string") ? values : undefined;
  const variants = depth >= MAX_DEPTH || walk.left <= 0 ? [] : variantsOf(schema);
  const lists = variants.map((variant) => textChoicesIn(variant, walk, depth + 1));
  return lists.length > 0 && lists.every((list) => list !== undefined) ? unique(lists.flat()) : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
