/**
 * What the difference of two JSON Schemas means to a client, by variance: what a server takes may grow, what it returns may shrink.
 *
 * Only what can be decided by looking at both schemas is: types, members, required members, choices and bounds. Any other difference is
 * reported as one that may break.
 */
import { canonicalJson, isJsonObject, isSameJson } from "tenon/internal";
import type { JsonObject } from "tenon";

/** `breaking`: a client that worked may fail now. `compatible`: it goes on working. `text`: only what people and models read. */
export type Meaning = "breaking" | "compatible" | "text";

export interface SchemaChange {
  /** A path such as `input.price`. */
  readonly path: string;
  readonly what: string;
  readonly meaning: Meaning;
}

/** Which way values go: a client sends what is an input, and reads what is an output. */
type Direction = "input" | "output";

const TEXTS = ["title", "description", "examples", "$comment", "default", "$schema"] as const;
/** Bounds: whether a larger number permits less. */
const BOUNDS: Readonly<Record<string, boolean>> = {
  minimum: true,
  exclusiveMinimum: true,
  minLength: true,
  minItems: true,
  maximum: false,
  exclusiveMaximum: false,
  maxLength: false,
  maxItems: false,
};
const COMPARED = new Set<string>([...TEXTS, ...Object.keys(BOUNDS), "type", "enum", "const", "properties", "required", "items"]);
const MAX_DEPTH = 16;

/** @param path where the schemas are: it begins with `input` or `output` */
export function schemaChanges(before: unknown, after: unknown, path: string, direction: Direction, depth = 0): SchemaChange[] {
  if (isSameJson(before, after)) return [];
  const different = { path, what: "schema changed", meaning: "breaking" } as const;
  if (!isJsonObject(before) || !isJsonObject(after) || depth > MAX_DEPTH) return [different];
  const own = [
    ...typeChange(before, after, path, direction),
    ...choiceChange(before, after, path, direction),
    ...boundChanges(before, after, path, direction),
    ...memberChanges(before, after, path, direction, depth),
  ];
  if (!isSameJson(before["items"], after["items"]))
    own.push(...schemaChanges(before["items"] ?? {}, after["items"] ?? {}, `${path}[]`, direction, depth + 1));
  const others = new Set([...Object.keys(before), ...Object.keys(after)].filter((key) => !COMPARED.has(key)));
  const changed = [...others].filter((key) => !isSameJson(before[key], after[key]));
  if (changed.length > 0) own.push({ path, what: `${changed.join(", ")} changed`, meaning: "breaking" });
  if (own.length === 0 || TEXTS.some((key) => !isSameJson(before[key], after[key])))
    own.push({ path, what: "text changed", meaning: "text" });
  return own;
}

function meaningOf(direction: Direction, { wider, narrower }: { wider: boolean; narrower: boolean }): Meaning {
  return (direction === "input" ? narrower : wider) ? "breaking" : "compatible";
}

/** The types of a schema; undefined if it permits all. An integer is a number. */
function typesOf({ type }: JsonObject): Set<unknown> | undefined {
  if (type === undefined) return undefined;
  const types = new Set<unknown>(Array.isArray(type) ? type : [type]);
  if (types.has("number")) types.add("integer");
  return types;
}

function typeChange(before: JsonObject, after: JsonObject, path: string, direction: Direction): SchemaChange[] {
  if (isSameJson(before["type"], after["type"])) return [];
  const change = { wider: isWider(typesOf(before), typesOf(after)), narrower: isWider(typesOf(after), typesOf(before)) };
  return [{ path, what: `${nameOf(before["type"])} → ${nameOf(after["type"])}`, meaning: meaningOf(direction, change) }];
}

/** Whether `after` permits what `before` does not. Undefined permits everything. */
function isWider(before: ReadonlySet<unknown> | undefined, after: ReadonlySet<unknown> | undefined): boolean {
  return before !== undefined && (after === undefined || [...after].some((value) => !before.has(value)));
}

function nameOf(type: unknown): string {
  if (type === undefined) return "any";
  return Array.isArray(type) ? type.map(String).join(" | ") : JSON.stringify(type).replaceAll('"', "");
}

function choicesOf(schema: JsonObject): Set<string> | undefined {
  if ("const" in schema) return new Set([canonicalJson(schema["const"])]);
  const { enum: choices } = schema;
  return Array.isArray(choices) ? new Set(choices.map((choice: unknown) => canonicalJson(choice))) : undefined;
}

function choiceChange(before: JsonObject, after: JsonObject, path: string, direction: Direction): SchemaChange[] {
  const [old, now] = [choicesOf(before), choicesOf(after)];
  const change = { wider: isWider(old, now), narrower: isWider(now, old) };
  if (!change.wider && !change.narrower) return [];
  return [{ path, what: `${listOf(old)} → ${listOf(now)}`, meaning: meaningOf(direction, change) }];
}

function listOf(choices: ReadonlySet<string> | undefined): string {
  return choices ? [...choices].join(" | ") : "any";
}

function boundChanges(before: JsonObject, after: JsonObject, path: string, direction: Direction): SchemaChange[] {
  return Object.entries(BOUNDS).flatMap(([name, isLower]) => {
    if (before[name] === after[name]) return [];
    const none = isLower ? -Infinity : Infinity;
    const [old, now] = [Number(before[name] ?? none), Number(after[name] ?? none)];
    const narrower = isLower ? now > old : now < old;
    const what = `${name} ${JSON.stringify(before[name] ?? "none")} → ${JSON.stringify(after[name] ?? "none")}`.replaceAll('"', "");
    return [{ path, what, meaning: meaningOf(direction, { narrower, wider: !narrower }) }];
  });
}

function memberChanges(before: JsonObject, after: JsonObject, path: string, direction: Direction, depth: number): SchemaChange[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  const changes: SchemaChange[] = [];
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)])) {
    const at = `${path}.${name}`;
    if (!Object.hasOwn(now, name)) changes.push({ path: at, what: "gone", meaning: goneMeaning(after, direction) });
    else if (!Object.hasOwn(old, name)) {
      const meaning = direction === "input" && isRequired.has(name) ? "breaking" : "compatible";
      changes.push({ path: at, what: isRequired.has(name) ? "new, required" : "new, optional", meaning });
    } else {
      changes.push(...schemaChanges(old[name], now[name], at, direction, depth + 1));
      if (wasRequired.has(name) === isRequired.has(name)) continue;
      const narrower = isRequired.has(name);
      changes.push({
        path: at,
        what: narrower ? "required now" : "optional now",
        meaning: meaningOf(direction, { narrower, wider: !narrower }),
      });
    }
  }
  return changes;
}

/** A client that sends a member that is gone still works if other members are permitted. A client that reads it does not. */
function goneMeaning(after: JsonObject, direction: Direction): Meaning {
  return direction === "output" || after["additionalProperties"] === false ? "breaking" : "compatible";
}

function membersOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function requiredOf({ required }: JsonObject): Set<unknown> {
  return new Set(Array.isArray(required) ? required : []);
}
