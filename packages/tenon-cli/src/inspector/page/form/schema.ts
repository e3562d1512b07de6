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
