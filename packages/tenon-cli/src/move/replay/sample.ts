/** Arguments made from a JSON Schema: the required members only, each with the plainest value that its schema permits. */
import { isJsonObject, targetOf } from "tenon/internal";
import type { JsonObject } from "tenon";

const MAX_DEPTH = 8;
const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "date-time": "2020-01-01T00:00:00Z",
    date: new Date(0).toISOString().slice(0, 10),
    time: "00:00:00Z",
    email: "someone@example.com",
    uri: "https://example.com/",
    url: "https://example.com/",
    uuid: "00000000-0000-4000-8000-000000000000",
  }),
);

/** @param root the whole schema, in which `$ref` points */
export function sampleOf(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return {};
  const { $ref, examples, enum: choices, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") return sampleOf(targetOf(root, $ref), root, depth + 1);
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  for (const list of [examples, choices]) if (Array.isArray(list) && list.length > 0) return list[0];
  for (const list of [anyOf, oneOf]) if (Array.isArray(list) && list.length > 0) return sampleOf(list[0], root, depth + 1);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => sampleOf(part, root, depth + 1))) as JsonObject;
  return ofType(schema, root, depth);
}

function ofType(schema: JsonObject, root: unknown, depth: number): unknown {
  const type: unknown = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  if (type === "string") return textOf(schema);
  if (type === "number" || type === "integer") return numberOf(schema);
  if (type === "boolean") return false;
  if (type === "null") return null;
  if (type === "array") return Number(schema["minItems"] ?? 0) > 0 ? [sampleOf(schema["items"] ?? {}, root, depth + 1)] : [];
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"].map(String) : [];
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, root, depth + 1)]));
}

function textOf({ format, minLength, maxLength }: JsonObject): string {
  const text = FORMATS.get(String(format)) ?? "a".padEnd(Number(minLength ?? 1), "a");
  return typeof maxLength === "number" ? text.slice(0, Math.max(maxLength, 0)) : text;
}

function numberOf({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === "number") return Math.ceil(minimum);
  if (typeof exclusiveMinimum === "number") return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === "number" ? Math.min(1, Math.floor(maximum)) : 1;
}
