/** Walks the schemas of a tool's arguments, references followed once. */
import { isJsonObject } from "tenon/internal";
import type { JsonObject, Tool } from "tenon";
import type { Place } from "./rule.ts";

const ONE = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAX_PLACES = 5_000;

/** Every schema of the input, each once, with the arguments on the way to it. */
export function placesIn({ inputSchema }: Tool): readonly Place[] {
  const places: Place[] = [];
  const visited = new Set<object>();
  const open: Place[] = [{ schema: inputSchema, path: "" }];
  for (let place = open.shift(); place !== undefined && places.length < MAX_PLACES; place = open.shift()) {
    if (visited.has(place.schema)) continue;
    visited.add(place.schema);
    places.push(place);
    open.push(...below(place, inputSchema));
  }
  return places;
}

function below({ schema, path }: Place, root: JsonObject): Place[] {
  const found: Place[] = [];
  const add = (child: unknown, at: string): void => void (isJsonObject(child) && found.push({ schema: child, path: at }));
  for (const [name, child] of membersOf(schema["properties"])) add(child, path === "" ? name : `${path}.${name}`);
  for (const keyword of ONE) add(schema[keyword], keyword === "items" ? `${path}[]` : path);
  for (const keyword of LISTS) for (const child of listOf(schema[keyword])) add(child, path);
  for (const keyword of ["patternProperties", "dependentSchemas"]) for (const [, child] of membersOf(schema[keyword])) add(child, path);
  add(targetIn(root, schema["$ref"]), path);
  return found;
}

function membersOf(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function targetIn(root: JsonObject, reference: unknown): unknown {
  const name = typeof reference === "string" ? /^#\/(?:\$defs|definitions)\/(.+)$/.exec(reference)?.[1] : undefined;
  if (name === undefined) return undefined;
  return [root["$defs"], root["definitions"]]
    .map((defs) => (isJsonObject(defs) ? defs[name] : undefined))
    .find((found) => found !== undefined);
}
