/** Undoes in arguments what a rewritten schema changed in them: renamed members, and null for members that are left out. */
import { NumberText, withExactNumbersOf, withRenamedNumbersOf, parseExact } from "../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";

/** Undoes changes of one object: names, and null in place of members that are left out. */
export interface Undo {
  readonly renamed: ReadonlyMap<string, string>;
  readonly optional: ReadonlySet<string>;
}

/** What restoring reads: the rewritten definitions, and the changes of each object. */
export interface Changes {
  readonly defs: ReadonlyMap<string, JsonObject>;
  readonly undo: WeakMap<JsonObject, Undo>;
  /** Whether a JSON text in the place of an object or a list is read. Default false. */
  readonly unpacks?: boolean;
  /** Converts a value that is neither an object nor a list, by one schema that describes it. Default: unchanged. */
  readonly scalar?: (value: unknown, schema: JsonObject) => unknown;
  /** Converts an object, by the schemas that together describe it; undefined if it stays an object. Default: it stays. */
  readonly object?: (value: JsonObject, schemas: readonly JsonObject[]) => unknown;
}

/** How many references and combinations may stand inside each other before a level of the value. */
const MAX_HOPS = 32;

/** The value as the original schema names its members. `schema` is the rewritten one. */
export function restoreArguments(given: unknown, schema: unknown, changes: Changes): unknown {
  const value = changes.unpacks === true && typeof given === "string" ? unpacked(given, schema, changes.defs) : given;
  if (typeof value !== "object" || value === null) return restoreScalar(value, schema, changes);
  if (value instanceof NumberText) return value;
  const parts = partsFor(value, schema, changes, 0);
  if (Array.isArray(value)) {
    const items = parts.map((part) => part["items"]).find(isJsonObject);
    return items === undefined
      ? value
      : withExactNumbersOf(
          value,
          value.map((item) => restoreArguments(item, items, changes)),
        );
  }
  const object = value as JsonObject; // not an array, as checked above
  return changes.object?.(object, parts) ?? restoreObject(object, parts, changes);
}

function restoreScalar(value: unknown, schema: unknown, { scalar, defs }: Changes): unknown {
  if (scalar === undefined) return value;
  let at = schema;
  for (let hop = 0; hop < MAX_HOPS && isJsonObject(at) && typeof at["$ref"] === "string"; hop++)
    at = defs.get(at["$ref"].slice("#/$defs/".length));
  if (!isJsonObject(at)) return value;
  const inside = [at["anyOf"], at["oneOf"], at["allOf"]].find((parts): parts is JsonObject[] => Array.isArray(parts));
  return scalar(value, inside?.find((part) => isJsonObject(part) && part["type"] !== "null") ?? at);
}

/** The schemas that together describe a value: the schema, all of its `allOf`, and the alternative that the value fits. */
function partsFor(value: object, schema: unknown, changes: Changes, hops: number): readonly JsonObject[] {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const more = (part: unknown): readonly JsonObject[] => partsFor(value, part, changes, hops + 1);
  if (typeof $ref === "string") return more(changes.defs.get($ref.slice("#/$defs/".length)));
  // A model may leave out what it must give; the server says so, by the names of the server.
  const choose = (parts: readonly unknown[]): unknown => parts.find((part) => matches(value, part, changes)) ?? parts.find(isObjectLike);
  const chosen = [anyOf, oneOf].filter((parts) => Array.isArray(parts)).map(choose);
  return [schema, ...[...(Array.isArray(allOf) ? (allOf as unknown[]) : []), ...chosen].flatMap(more)];
}

function restoreObject(value: JsonObject, parts: readonly JsonObject[], changes: Changes): JsonObject {
  const undos = parts.map((part) => changes.undo.get(part)).filter((undo) => undo !== undefined);
  const members = Object.entries(value).filter(([name, member]) => member !== null || !undos.some(({ optional }) => optional.has(name)));
  const originalOf = (name: string): string => undos.map(({ renamed }) => renamed.get(name)).find((found) => found !== undefined) ?? name;
  const restored = members.map(([name, member]) => [originalOf(name), restoreArguments(member, schemaOf(name, parts), changes)] as const);
  return withRenamedNumbersOf(value, Object.fromEntries(restored), originalOf);
}

/** The schema of a member: where it is named, else the one for members without a name. */
function schemaOf(name: string, parts: readonly JsonObject[]): unknown {
  const owner = parts.find(({ properties }) => isJsonObject(properties) && Object.hasOwn(properties, name));
  if (owner !== undefined) return (owner["properties"] as JsonObject)[name]; // it was found by it
  return parts.map((part) => part["additionalProperties"]).find(isJsonObject);
}

function isObjectLike(schema: unknown): boolean {
  return isJsonObject(schema) && ["properties", "$ref", "anyOf", "oneOf"].some((keyword) => keyword in schema);
}

function matches(value: object, schema: unknown, changes: Changes): boolean {
  if (Array.isArray(value)) return isJsonObject(schema) && schema["items"] !== undefined;
  return fits(value as JsonObject, schema, changes, 0); // not an array, as checked above
}

/** Whether an object could be of that alternative: it has all members that it must have, and no other if it must not. */
function fits(value: JsonObject, schema: unknown, changes: Changes, hops: number): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return false;
  const { $ref, type, properties, required, additionalProperties } = schema;
  if (typeof $ref === "string") return fits(value, changes.defs.get($ref.slice("#/$defs/".length)), changes, hops + 1);
  if (Array.isArray(schema["allOf"])) return schema["allOf"].every((part) => fits(value, part, changes, hops + 1));
  for (const alternatives of [schema["anyOf"], schema["oneOf"]])
    if (Array.isArray(alternatives)) return alternatives.some((part) => fits(value, part, changes, hops + 1));
  if (type !== "object" && !isJsonObject(properties)) return false;
  const named = isJsonObject(properties) ? properties : {};
  const hasAll = !Array.isArray(required) || required.every((name) => Object.hasOwn(value, String(name)));
  return hasAll && (additionalProperties !== false || Object.keys(value).every((name) => Object.hasOwn(named, name)));
}

type Definitions = ReadonlyMap<string, JsonObject>;

/**
 * Many models now and then write a JSON text in the place of an object or a list: `{ "filter": "{\"state\":\"open\"}" }`. Returns the value in
 * a text; the text itself if its schema takes texts, or if it holds something else. The server checks the value as always.
 */
function unpacked(text: string, schema: unknown, defs: Definitions): unknown {
  if (!/^\s*[[{]/.test(text) || mayBe("string", schema, defs)) return text;
  try {
    const value = parseExact(text);
    return mayBe(Array.isArray(value) ? "array" : "object", schema, defs) ? value : text;
  } catch {
    return text; // the server says what is wrong
  }
}

/** Whether a schema takes values of a type, as far as it says. */
function mayBe(type: string, schema: unknown, defs: Definitions, hops = 0): boolean {
  if (!isJsonObject(schema) || hops > MAX_HOPS) return true;
  const inner = (part: unknown): boolean => mayBe(type, part, defs, hops + 1);
  const { $ref, type: types, anyOf, oneOf, allOf } = schema;
  if (typeof $ref === "string") return inner(defs.get($ref.slice("#/$defs/".length)));
  if (types !== undefined && ![types].flat().includes(type)) return false;
  if (Array.isArray(allOf) && !allOf.every(inner)) return false;
  return [anyOf, oneOf].every((parts) => !Array.isArray(parts) || parts.some(inner));
}
