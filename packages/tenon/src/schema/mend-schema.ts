/**
 * Mends one schema whose keywords have arguments that JSON Schema 2020-12 does not allow: bounds of draft 4, `type: "int"`,
 * `required: true`, a value of another type. The API of a model refuses a whole request for one of them. Schemas inside the schema are
 * not mended here.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { mendValues, type Mended } from "./mend-values.ts";
import { fitsKeyword, isKeyword } from "./schema-structure.ts";

export interface MendedSchema {
  readonly schema: JsonObject;
  readonly changes: readonly Mended[];
}

const NOTHING: readonly Mended[] = [];
/** Keywords whose arguments are values that the schema allows. */
const VALUES = ["default", "enum", "const", "examples"];

type Follow = (reference: string) => unknown;

/** The schema itself if nothing is wrong with it. `follow` finds the type of a schema that only refers to it. */
export function mendSchema(schema: JsonObject, follow: Follow): MendedSchema {
  const wrong = Object.keys(schema).filter((keyword) => isWrong(keyword, schema[keyword]));
  const moved = namesMarkedRequired(schema);
  const hasValues = VALUES.some((keyword) => keyword in schema);
  if (wrong.length === 0 && moved.length === 0 && !hasValues) return { schema, changes: NOTHING };
  const mended: JsonObject = { ...schema };
  const changes: Mended[] = [];
  for (const keyword of wrong) {
    const from = schema[keyword];
    const isSaid = mendKeyword(mended, keyword, from);
    changes.push({ keyword, action: isSaid ? "rewritten" : "dropped", from });
  }
  if (moved.length > 0) {
    const named = Array.isArray(mended["required"]) ? (mended["required"] as unknown[]) : [];
    mended["required"] = [...new Set([...named, ...moved])];
    changes.push({ keyword: "required", action: "rewritten", from: schema["required"] });
  }
  if (hasValues) changes.push(...mendValues(mended, typesOf(mended, follow)));
  return changes.length === 0 ? { schema, changes: NOTHING } : { schema: mended, changes };
}

function isWrong(keyword: string, argument: unknown): boolean {
  if (argument === undefined || !isKeyword(keyword)) return false;
  if (keyword === "items") return Array.isArray(argument) && argument.length === 0; // a list is the form of older drafts
  if (keyword === "enum") return !Array.isArray(argument) || argument.length === 0;
  return !fitsKeyword(keyword, argument);
}

/** Draft 3 and many generators mark a property itself: `{ "type": "string", "required": true }`. */
function namesMarkedRequired({ properties, required }: JsonObject): readonly string[] {
  if (!isJsonObject(properties)) return [];
  const known = Array.isArray(required) ? (required as unknown[]) : [];
  return Object.keys(properties).filter((name) => {
    const property = properties[name];
    return isJsonObject(property) && property["required"] === true && !known.includes(name);
  });
}

export const LIMIT_OF: ReadonlyMap<string, string> = new Map([
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"],
]);

/** Rewrites or removes a keyword whose argument is wrong. Returns whether nothing of its meaning is lost. */
function mendKeyword(schema: JsonObject, keyword: string, argument: unknown): boolean {
  delete schema[keyword];
  const limit = LIMIT_OF.get(keyword);
  if (limit !== undefined && typeof argument === "boolean") return excludeLimit(schema, keyword, limit, argument);
  if (keyword === "type") return mendTypes(schema, argument);
  if (keyword === "required") {
    const names = Array.isArray(argument) ? [...new Set(argument.filter((name) => typeof name === "string"))] : [];
    if (names.length > 0) schema["required"] = names;
    return typeof argument === "boolean" || names.length > 0; // the object around it names a property that is required
  }
  const number = typeof argument === "string" && /^-?\d+(\.\d+)?$/.test(argument) ? Number(argument) : undefined;
  if (number === undefined || !fitsKeyword(keyword, number)) return false;
  schema[keyword] = number;
  return true;
}

/** `exclusiveMinimum: true` beside `minimum: 1` becomes `exclusiveMinimum: 1`. */
export function excludeLimit(schema: JsonObject, keyword: string, limit: string, isExcluded: boolean): boolean {
  if (!isExcluded) return true;
  const bound = schema[limit];
  if (typeof bound !== "number") return false;
  schema[keyword] = bound;
  delete schema[limit];
  return true;
}

/** Names of types in other languages. */
const TYPE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    integer: ["int", "int32", "int64", "uint", "uint32", "uint64", "long", "short", "bigint"],
    number: ["float", "float32", "float64", "double", "decimal", "num", "numeric"],
    string: ["str", "text", "char", "varchar", "date", "datetime", "date-time", "uuid", "uri", "url", "email", "file", "binary", "enum"],
    boolean: ["bool"],
    object: ["dict", "map", "hash", "struct", "json", "record"],
    array: ["list", "tuple", "set", "arr"],
    null: ["none", "nil", "undefined"],
  }).flatMap(([type, names]) => [type, ...names].map((name) => [name, type] as const)),
);

function mendTypes(schema: JsonObject, argument: unknown): boolean {
  const names: readonly unknown[] = Array.isArray(argument) ? argument : [argument];
  const types = names.map((name) => (typeof name === "string" ? TYPE_NAMES.get(name.toLowerCase()) : undefined));
  const known = [...new Set(types.filter((type) => type !== undefined))];
  if (known.length === 0 || types.includes(undefined)) return false; // an unknown type allows what no known one does
  schema["type"] = known.length === 1 ? known[0] : known;
  return true;
}

/** Most schemas that are looked at for the types of one. */
const MAX_LOOKS = 50;

/** The types that a schema allows: its own, or the types of its reference, of a part of `allOf`, or of all its choices. Empty if they are not known. */
function typesOf(schema: JsonObject, follow: Follow): readonly string[] {
  let left = MAX_LOOKS;
  const ofChoices = (choices: unknown): readonly string[] => {
    const types = listOf(choices).map(look);
    return types.every((some) => some.length > 0) ? types.flat() : [];
  };
  const look = (one: unknown): readonly string[] => {
    if (!isJsonObject(one) || left-- <= 0) return [];
    const { type, nullable, $ref, allOf, anyOf, oneOf } = one;
    const ways = [
      () => namesOf(type),
      () => (typeof $ref === "string" ? look(follow($ref)) : []),
      ...listOf(allOf).map((part) => () => look(part)),
      () => ofChoices(anyOf),
      () => ofChoices(oneOf),
    ];
    for (const way of ways) {
      const types = way();
      if (types.length > 0) return nullable === true ? [...types, "null"] : types;
    }
    return [];
  };
  return look(schema);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function namesOf(type: unknown): readonly string[] {
  const names = [type].flat().filter((name) => typeof name === "string");
  return names.map((name) => TYPE_NAMES.get(name.toLowerCase()) ?? name);
}
