/**
 * Rewrites the JSON Schema of a tool's arguments: renamed keys, keys that go, keys that are no longer required.
 *
 * Only the root's own `properties`, `required` and `dependentRequired` are rewritten. A change that other keywords would contradict, such
 * as a root `oneOf` that requires the argument, is refused with the path of that keyword.
 */
import { pointerSteps, targetOf } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { ArgumentChange } from "./types.ts";

/** The changes of arguments, by their old names. */
export type Changes = ReadonlyMap<string, ArgumentChange>;

/** How deep schemas and chains of references are followed. */
const MAX_DEPTH = 64;
/** Keywords whose schemas apply to the same value. */
const UNIONS = ["allOf", "anyOf", "oneOf"];
const BRANCHES = ["if", "then", "else", "not"];
const BY_PROPERTY = ["dependentSchemas", "dependencies"];
/** Keywords of the root that count or match the names of all properties. */
const OF_ALL_NAMES = ["patternProperties", "propertyNames", "minProperties", "maxProperties"];

/**
 * The schema after the changes.
 * @param what the owner of the schema, for the error
 * @throws TypeError if an argument does not exist, if two would have one name, or if another keyword names a changed argument
 */
export function rewriteSchema(schema: JsonObject, changes: Changes, what: string): JsonObject {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  for (const [name, change] of changes) {
    if (!Object.hasOwn(properties, name)) throw new TypeError(`${what}: the tool has no argument "${name}" in #/properties`);
    const path = isMoved(name, change) ? obstacle(schema, name) : undefined;
    if (path !== undefined)
      throw new TypeError(`${what}: the argument "${name}" cannot be renamed, pinned or made optional because of ${path}`);
  }
  return { ...schema, ...renamedMembers(schema, properties, changes, what) };
}

/** Whether a change is more than a description. */
function isMoved(name: string, change: ArgumentChange): boolean {
  return nameAfter(name, change) !== name || isPinned(change) || change.default !== undefined;
}

export function nameAfter(name: string, change: ArgumentChange | undefined): string {
  return change?.name ?? name;
}

export function isPinned(change: ArgumentChange | undefined): boolean {
  return change?.pin !== undefined;
}

function renamedMembers(schema: JsonObject, properties: JsonObject, changes: Changes, what: string): JsonObject {
  const after = new Map<string, unknown>();
  for (const [name, property] of Object.entries(properties)) {
    const change = changes.get(name);
    if (isPinned(change)) continue;
    const renamed = nameAfter(name, change);
    if (after.has(renamed)) throw new TypeError(`${what}: two arguments would have the name "${renamed}"`);
    after.set(renamed, change === undefined ? property : changedProperty(property, change));
  }
  const { required, dependentRequired } = schema;
  return {
    properties: Object.fromEntries(after),
    ...(Array.isArray(required) && { required: stillRequired(required, changes) }),
    ...(isJsonObject(dependentRequired) && dependenciesAfter(schema, dependentRequired, changes)),
  };
}

function changedProperty(property: unknown, change: ArgumentChange): unknown {
  const { describe, default: value } = change;
  if (describe === undefined && value === undefined) return property;
  const own = isJsonObject(property) ? property : {}; // or `true`
  return { ...own, ...(describe !== undefined && { description: describe }), ...(value !== undefined && { default: value }) };
}

/** The names that callers must still pass, as they are after the changes. */
function stillRequired(names: readonly unknown[], changes: Changes): string[] {
  const own = names.filter((name) => typeof name === "string");
  return own.filter((name) => !isGiven(changes.get(name))).map((name) => nameAfter(name, changes.get(name)));
}

/** Whether the argument has a value in every call. */
function isGiven(change: ArgumentChange | undefined): boolean {
  return isPinned(change) || change?.default !== undefined;
}

/** What an argument that is always given requires is required of every call. */
function dependenciesAfter(schema: JsonObject, dependent: JsonObject, changes: Changes): JsonObject {
  const always = new Set(Array.isArray(schema["required"]) ? stillRequired(schema["required"], changes) : []);
  const after: JsonObject = {};
  for (const [name, names] of Object.entries(dependent)) {
    const still = Array.isArray(names) ? stillRequired(names, changes) : [];
    if (isGiven(changes.get(name))) for (const one of still) always.add(one);
    else if (still.length > 0) after[nameAfter(name, changes.get(name))] = still;
  }
  return { dependentRequired: after, ...(always.size > 0 && { required: [...always] }) };
}

/** The path of a keyword that a change of the argument would break; undefined if there is none. */
function obstacle(schema: JsonObject, name: string): string | undefined {
  const counting = OF_ALL_NAMES.find((keyword) => schema[keyword] !== undefined);
  if (counting !== undefined) return `#/${counting}`;
  return mention(schema, { root: schema, name, isRoot: true }, "#", 0) ?? reference(schema, name, "#", 0);
}

/** A search for the keyword that names an argument. */
interface Search {
  readonly root: JsonObject;
  readonly name: string;
  /** Whether the schema is the root, whose own members are rewritten. */
  readonly isRoot: boolean;
}

/** The path at which a schema of the same value names the argument, or is closed to other names. */
function mention(schema: unknown, search: Search, path: string, depth: number): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  if (depth > MAX_DEPTH) return path;
  const own = search.isRoot ? undefined : ownMention(schema, search.name);
  if (own !== undefined) return `${path}/${own}`;
  for (const [step, inner] of sameValueSchemas(schema, search)) {
    const found = mention(inner, { ...search, isRoot: false }, `${path}/${step}`, depth + 1);
    if (found !== undefined) return found;
  }
  const conditional = BY_PROPERTY.find((keyword) => isJsonObject(schema[keyword]) && Object.hasOwn(schema[keyword], search.name));
  return conditional && `${path}/${conditional}/${search.name}`;
}

function ownMention(schema: JsonObject, name: string): string | undefined {
  const { properties, required, dependentRequired, additionalProperties } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return `properties/${name}`;
  if (Array.isArray(required) && required.includes(name)) return "required";
  if (isJsonObject(dependentRequired) && JSON.stringify(dependentRequired).includes(JSON.stringify(name))) return "dependentRequired";
  if (additionalProperties !== undefined && additionalProperties !== true) return "additionalProperties";
  return OF_ALL_NAMES.find((keyword) => schema[keyword] !== undefined);
}

/** The schemas that apply to the same value, with the path of each. */
function* sameValueSchemas(schema: JsonObject, { root }: Search): Iterable<[path: string, schema: unknown]> {
  for (const union of UNIONS) {
    const branches = schema[union];
    if (Array.isArray(branches)) for (const [index, branch] of branches.entries()) yield [`${union}/${index}`, branch];
  }
  for (const branch of BRANCHES) if (schema[branch] !== undefined) yield [branch, schema[branch]];
  for (const keyword of BY_PROPERTY) {
    if (isJsonObject(schema[keyword])) for (const [name, inner] of Object.entries(schema[keyword])) yield [`${keyword}/${name}`, inner];
  }
  const { $ref } = schema;
  if (typeof $ref === "string" && $ref.startsWith("#/")) yield ["$ref", targetOf(root, $ref)];
}

/** The path of a reference to the root, whose names would change in nested values, or into the argument's own schema. */
function reference(value: unknown, name: string, path: string, depth: number): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > MAX_DEPTH) return path;
  for (const [key, inner] of Object.entries(value)) {
    if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && typeof inner === "string" && refersTo(inner, name)) return `${path}/${key}`;
    const found = reference(inner, name, `${path}/${key}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function refersTo(ref: string, name: string): boolean {
  if (ref === "#") return true;
  if (!ref.startsWith("#/")) return false;
  const [first, second] = pointerSteps(ref);
  return first === "properties" && second === name;
}
