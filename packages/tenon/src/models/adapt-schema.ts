/** Changes a tool's JSON Schema so that a model's API accepts it, and says what it changed. The server still checks the original. */
import { isJsonObject, setMember, type JsonObject } from "../jsonrpc/message.ts";
import { restoreArguments } from "../schema/restore-arguments.ts";
import { SchemaAdapter, type SchemaNote } from "./schema/adapter.ts";
import type { ModelProfile } from "./schema/profile.ts";
import { targetOf } from "../base/json-pointer.ts";
import { describeAlso } from "./schema/words.ts";

/** A schema that an API accepts. */
export interface AdaptedSchema {
  /** The schema for the API: an object at its root. */
  readonly schema: JsonObject & { type: "object"; properties: JsonObject };
  /** What had to be changed. Empty if the API takes the schema unchanged. */
  readonly notes: readonly SchemaNote[];
  /** Turns arguments that the model made into arguments for the tool. */
  restore(args: JsonObject): JsonObject;
  /** False if the profile is of a strict mode and the schema has no strict form, such as an object with any members. */
  readonly strict: boolean;
}

/** How many references in a row the root may be. */
const MAX_HOPS = 8;

/**
 * Adapts the schema of a tool's input to a model's API: references, unions, tuples, keywords that the API refuses. What it cannot say in
 * the schema goes into descriptions. Size and depth are limited: 10 000 schemas, `maxDepth` of the profile; the rest accepts anything.
 * @example
 * ```ts
 * import { adaptSchema, profiles } from "tenon/models";
 *
 * const seats = { type: "object", properties: { count: { type: "integer", exclusiveMinimum: 0 } }, required: ["count"] };
 * const { schema, notes } = adaptSchema(seats, profiles.gemini);
 * console.log(schema.properties); // { count: { type: 'integer', description: 'More than 0.' } }
 * console.log(notes[0]?.keyword, notes[0]?.action); // exclusiveMinimum described
 * ```
 */
export function adaptSchema(schema: JsonObject, profile: ModelProfile): AdaptedSchema {
  const adapter = new SchemaAdapter(schema, profile);
  const { defs, notes, undo } = adapter;
  const adapted = adapter.node(withoutRootReference(schema, adapter), { path: "", depth: 0, refs: [] });
  const root = profile.rootUnion ? adapter.undoneAs(adapted, { ...adapted, type: "object" }) : asRootObject(adapted, adapter, defs);
  const whole = { properties: {}, ...root, ...(defs.size > 0 && { $defs: Object.fromEntries(defs) }) };
  return {
    schema: whole as AdaptedSchema["schema"], // the root is an object now
    notes,
    strict: !profile.openMaps && adapter.strictPossible,
    restore: (args) => restoreArguments(args, root, { defs, undo, unpacks: true }) as JsonObject, // an object stays one
  };
}

/** The root itself may be a reference. It is followed a few times; what stands beside it wins, and a note tells if both differ. */
function withoutRootReference(schema: JsonObject, adapter: SchemaAdapter): JsonObject {
  let root = schema;
  for (let hop = 0; "$ref" in root; hop++) {
    const { $ref, ...siblings } = root;
    const target = targetOf(schema, $ref);
    if (!isJsonObject(target) || target === schema || hop === MAX_HOPS) {
      adapter.note("", "$ref", "dropped", $ref);
      return siblings;
    }
    const differ = Object.keys(siblings).some((key) => key in target && JSON.stringify(target[key]) !== JSON.stringify(siblings[key]));
    adapter.note("", "$ref", differ ? "dropped" : "rewritten", $ref);
    root = { ...target, ...siblings };
  }
  return root;
}

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
      setMember(properties, name, differs ? { anyOf: [own, schema] } : schema);
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
