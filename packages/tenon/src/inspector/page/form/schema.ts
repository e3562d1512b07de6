/** Reads JSON Schemas for forms: what kind of field a schema is, its choices, its variants, and its first value. */
import { isObject, textOf, type Json } from "../data/json.ts";

export type Schema = Json;

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

/** A value that can be chosen, and its title. */
export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

/** Most references that are followed for one field. */
const MAX_REFERENCES = 32;

/** The schema itself, with local references followed and the parts of `allOf` joined. */
export function resolve(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isObject(schema)) return {};
  const { $ref, allOf } = schema;
  if (typeof $ref === "string" && depth < MAX_REFERENCES) {
    const { $ref: _, ...rest } = schema;
    return { ...resolve(target($ref, root), root, depth + 1), ...rest };
  }
  if (!Array.isArray(allOf) || depth >= MAX_REFERENCES) return schema;
  const { allOf: _, ...rest } = schema;
  return allOf.map((part) => resolve(part, root, depth + 1)).reduce(join, rest);
}

function target($ref: string, root: Schema): unknown {
  if (!$ref.startsWith("#")) return {};
  const keys = decodeURIComponent($ref.slice(1)).split("/").slice(1);
  return keys
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, key) => (isObject(value) && Object.hasOwn(value, key) ? value[key] : Array.isArray(value) ? value[Number(key)] : {}),
      root,
    );
}

function join(one: Schema, other: Schema): Schema {
  const properties = { ...membersOf(one, "properties"), ...membersOf(other, "properties") };
  const required = [...requiredOf(one), ...requiredOf(other)];
  return { ...one, ...other, ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) };
}

export function membersOf(schema: Schema, name: "properties" | "patternProperties"): Json {
  const members = schema[name];
  return isObject(members) ? members : {};
}

export function requiredOf({ required }: Schema): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function kindOf(schema: Schema): FieldKind {
  const { type } = schema;
  if (choicesOf(schema).length > 0) return "choice";
  if (variantsOf(schema).length > 0) return "union";
  if (type === "array" || "items" in schema || "prefixItems" in schema) return listKind(schema);
  if (type === "object" || "properties" in schema || isObject(schema["additionalProperties"])) return objectKind(schema);
  if (type === "string") return "text";
  if (type === "integer" || type === "number") return "number";
  return type === "boolean" || type === "null" ? type : "any";
}

function listKind(schema: Schema): FieldKind {
  if (tupleOf(schema).length > 0) return "tuple";
  const { items } = schema;
  return schema["uniqueItems"] === true && isObject(items) && choicesOf(items).length > 0
    ? "choices"
    : isChoices(items)
      ? "choices"
      : "list";
}

/** A form of an elicitation chooses several values without `uniqueItems`. */
function isChoices(items: unknown): boolean {
  return isObject(items) && Array.isArray(items["anyOf"]) && choicesOf(items).length > 0;
}

function objectKind(schema: Schema): FieldKind {
  const isOpen = isObject(schema["additionalProperties"]) || "patternProperties" in schema || "propertyNames" in schema;
  return isOpen && Object.keys(membersOf(schema, "properties")).length === 0 ? "map" : "object";
}

/** The schemas of the first items of a list. */
export function tupleOf({ prefixItems, items }: Schema): readonly unknown[] {
  return Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
}

/** The schema of the values under names that `properties` does not have. */
export function valuesOf(schema: Schema): unknown {
  const { additionalProperties, patternProperties } = schema;
  if (isObject(additionalProperties)) return additionalProperties;
  return isObject(patternProperties) ? Object.values(patternProperties)[0] : {};
}

/** The values of an enumeration, however it is written. */
export function choicesOf(schema: Schema): readonly Choice[] {
  const { enum: values, enumNames, const: only } = schema;
  if ("const" in schema) return [{ value: only, title: titleOf(schema, only) }];
  if (Array.isArray(values)) {
    const names = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value, title: typeof names[index] === "string" ? names[index] : textOf(value) }));
  }
  const parts = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every((part) => isObject(part) && "const" in part)) return [];
  return (parts as Schema[]).map((part) => ({ value: part["const"], title: titleOf(part, part["const"]) }));
}

function titleOf({ title }: Schema, value: unknown): string {
  return typeof title === "string" ? title : textOf(value);
}

/** The schemas of which a value fits one. */
export function variantsOf(schema: Schema): readonly Schema[] {
  const parts = schema["oneOf"] ?? schema["anyOf"];
  const { oneOf: _, anyOf: __, type, ...rest } = schema;
  if (Array.isArray(parts) && parts.length > 0)
    return parts.map((part) => (isObject(part) ? { ...bare(rest), ...(type !== undefined && { type }), ...part } : {}));
  return Array.isArray(type) ? type.map((one) => ({ ...rest, type: one as unknown, title: String(one) })) : [];
}

/** What is common to all variants, without what describes the whole. */
function bare(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !["title", "description", "default"].includes(name)));
}

/** The name of a variant: its title, the value that no other variant has, or its type. */
export function variantTitle(variant: Schema, root: Schema): string {
  const schema = resolve(variant, root);
  if (typeof schema["title"] === "string") return schema["title"];
  for (const member of Object.values(membersOf(schema, "properties")))
    if (isObject(member) && "const" in member) return textOf(member["const"]);
  if ("const" in schema) return textOf(schema["const"]);
  const names = Object.keys(membersOf(schema, "properties"));
  return names.length > 0 ? names.slice(0, 3).join(", ") : textOf(schema["type"] ?? "JSON");
}

/** Whether a value can be of that variant, as far as types and constants say. */
export function fits(value: unknown, variant: Schema, root: Schema): boolean {
  const schema = resolve(variant, root);
  if ("const" in schema) return JSON.stringify(schema["const"]) === JSON.stringify(value);
  const { type } = schema;
  if (typeof type === "string" && type !== typeName(value) && !(type === "number" && typeName(value) === "integer")) return false;
  if (!isObject(value)) return true;
  const members = membersOf(schema, "properties");
  return Object.entries(members).every(
    ([name, member]) => !isObject(member) || !("const" in member) || value[name] === undefined || fits(value[name], member, root),
  );
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** The value that a field has at first; undefined is not sent. */
export function initial(given: unknown, root: Schema, isRequired: boolean, depth = 0): unknown {
  const schema = resolve(given, root);
  if ("default" in schema) return schema["default"];
  if ("const" in schema && isRequired) return schema["const"];
  if (!isRequired || depth > 8) return undefined;
  const kind = kindOf(schema);
  if (kind === "object") {
    const required = requiredOf(schema);
    const entries = Object.entries(membersOf(schema, "properties")).map(
      ([name, member]) => [name, initial(member, root, required.includes(name), depth + 1)] as const,
    );
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  if (kind === "tuple") return tupleOf(schema).map((item) => initial(item, root, true, depth + 1) ?? null);
  if (kind === "list") {
    const least = Math.min(Number(schema["minItems"] ?? 0) || 0, 50);
    return Array.from({ length: least }, () => initial(schema["items"], root, true, depth + 1) ?? null);
  }
  if (kind === "union") return initial(variantsOf(schema)[0], root, true, depth + 1);
  return kind === "map" ? {} : kind === "null" ? null : undefined;
}
