/** The root of a tool's schema: every API wants one object there, with its members named. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { SchemaAdapter } from "./adapter.ts";
import { define } from "./adapter.ts";
import { describeAlso } from "./words.ts";

/** Keywords that APIs refuse at the root. */
const REFUSED = ["anyOf", "oneOf", "allOf", "enum", "const", "not", "if", "then", "else"];

/** Makes an adapted schema one object: alternatives become one object with the members of all. */
export function asRootObject(schema: JsonObject, adapter: SchemaAdapter, definitions: ReadonlyMap<string, JsonObject>): JsonObject {
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const root: JsonObject = { ...rest, type: "object" };
  if (schema["type"] !== "object") adapter.note("", "type", "dropped", schema["type"]);
  for (const keyword of REFUSED.slice(3)) {
    if (keyword in root) adapter.note("", keyword, "dropped", root[keyword]);
    delete root[keyword];
  }
  if (!isJsonObject(root["properties"])) root["properties"] = {};
  const undo = adapter.undo.get(schema);
  const renamed = new Map(undo?.renamed);
  adapter.undo.set(root, { renamed, optional: undo?.optional ?? new Set() });
  for (const [keyword, parts] of Object.entries({ anyOf, oneOf, allOf })) {
    if (!Array.isArray(parts)) continue;
    const objects = parts.map((part) => followed(part as JsonObject, definitions)).filter((part) => isJsonObject(part["properties"]));
    fold(root, objects, { all: keyword === "allOf", adapter });
    for (const part of objects) for (const [shown, name] of adapter.undo.get(part)?.renamed ?? []) renamed.set(shown, name);
    adapter.note("", keyword, "described", parts);
  }
  return root;
}

function followed(part: JsonObject, definitions: ReadonlyMap<string, JsonObject>): JsonObject {
  const { $ref } = part;
  return typeof $ref === "string" ? (definitions.get($ref.slice("#/$defs/".length)) ?? {}) : part;
}

function fold(root: JsonObject, parts: readonly JsonObject[], { all, adapter }: { all: boolean; adapter: SchemaAdapter }): void {
  const properties = root["properties"] as JsonObject; // set by the caller
  for (const part of parts) {
    for (const [name, schema] of Object.entries(part["properties"] as JsonObject)) {
      // its objects have it
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const differs = own !== undefined && JSON.stringify(own) !== JSON.stringify(schema);
      define(properties, name, differs ? { anyOf: [own, schema] } : schema);
    }
  }
  const common = all
    ? parts.flatMap(names)
    : parts.length === 0
      ? []
      : names(parts[0]!).filter((name) => parts.every((part) => names(part).includes(name)));
  const required = [...new Set([...names(root), ...common])];
  if (required.length > 0) root["required"] = required;
  delete root["additionalProperties"];
  adapter.strictPossible = false;
  if (all || parts.length === 0) return;
  const alternatives = parts.map((part) =>
    (names(part).length > 0 ? names(part) : Object.keys(part["properties"] as JsonObject)).join(", "),
  );
  const description = describeAlso(root["description"], [`one of: ${alternatives.map((members) => `{${members}}`).join(" or ")}`]);
  if (description !== undefined) root["description"] = description;
}

function names({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? (required as string[]) : [];
}
