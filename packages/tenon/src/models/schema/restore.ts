/** Undoes in arguments what the adapted schema changed in them: renamed members, and null for members that are left out. */
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import type { Undo } from "./adapter.ts";
import { define } from "./adapter.ts";

/** What restoring reads: the adapted definitions, and the changes of each object. */
interface Changes {
  readonly defs: ReadonlyMap<string, JsonObject>;
  readonly undo: WeakMap<JsonObject, Undo>;
}

/** The value as the original schema names its members. */
export function restore(value: unknown, schema: unknown, changes: Changes): unknown {
  if (!isJsonObject(schema)) return value;
  const { $ref, items, anyOf } = schema;
  if (typeof $ref === "string") return restore(value, changes.defs.get($ref.slice("#/$defs/".length)), changes);
  if (Array.isArray(value)) return isJsonObject(items) ? value.map((item) => restore(item, items, changes)) : value;
  if (Array.isArray(anyOf)) {
    const branch = isJsonObject(value)
      ? anyOf.find((part) => fits(value, part, changes))
      : anyOf.find((part) => isJsonObject(part) && part["items"]);
    if (branch !== undefined) return restore(value, branch, changes);
  }
  return isJsonObject(value) ? restoreObject(value, schema, changes) : value;
}

function restoreObject(value: JsonObject, schema: JsonObject, changes: Changes): JsonObject {
  const undo = changes.undo.get(schema);
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const restored: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === null && undo?.optional.has(name)) continue;
    const own = Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"];
    define(restored, undo?.renamed.get(name) ?? name, restore(member, own, changes));
  }
  return restored;
}

/** Whether an object could be of that alternative: it has all members that it must have, and no other if it must not. */
function fits(value: JsonObject, schema: unknown, changes: Changes): boolean {
  if (!isJsonObject(schema)) return false;
  const { $ref, type, properties, required, additionalProperties } = schema;
  if (typeof $ref === "string") return fits(value, changes.defs.get($ref.slice("#/$defs/".length)), changes);
  if (type !== "object" && !isJsonObject(properties)) return false;
  const named = isJsonObject(properties) ? properties : {};
  const hasAll = !Array.isArray(required) || required.every((name) => Object.hasOwn(value, String(name)));
  return hasAll && (additionalProperties !== false || Object.keys(value).every((name) => Object.hasOwn(named, name)));
}
