/** What the form of the page needs beside `schema/form.ts`: the names of variants, which one a value fits, and the first value of a field. */
import { kindOf, membersOf, requiredOf, resolve, tupleOf, variantsOf } from "tenon/internal";
import { isObject, textOf, type Json } from "../data/json.ts";

export type Schema = Json;

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

/** Most fields inside one whose first values are found: a short schema can refer to its parts in millions of ways. */
const MAX_FIELDS = 1_000;

/** The value that a field has at first; undefined is not sent. */
export function initial(definition: unknown, root: Schema, isRequired: boolean): unknown {
  return firstValue(definition, isRequired, { root, depth: 0, fields: { left: MAX_FIELDS } });
}

interface FieldPlace {
  readonly root: Schema;
  readonly depth: number;
  /** How many fields may still be looked at. */
  readonly fields: { left: number };
}

function firstValue(definition: unknown, isRequired: boolean, place: FieldPlace): unknown {
  if (place.fields.left-- <= 0) return undefined;
  const schema = resolve(definition, place.root);
  if ("default" in schema) return schema["default"];
  if ("const" in schema && isRequired) return schema["const"];
  if (!isRequired || place.depth > 8) return undefined;
  const inside = (inner: unknown, isNeeded = true): unknown => firstValue(inner, isNeeded, { ...place, depth: place.depth + 1 });
  const kind = kindOf(schema);
  if (kind === "object") {
    const required = requiredOf(schema);
    const members = Object.entries(membersOf(schema, "properties"));
    const entries = members.map(([name, member]) => [name, inside(member, required.includes(name))] as const);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  }
  if (kind === "tuple") return tupleOf(schema).map((item) => inside(item) ?? null);
  if (kind === "list") {
    const least = Math.min(Number(schema["minItems"] ?? 0) || 0, 50);
    return Array.from({ length: least }, () => inside(schema["items"]) ?? null);
  }
  if (kind === "union") return inside(variantsOf(schema)[0]);
  return kind === "map" ? {} : kind === "null" ? null : undefined;
}
