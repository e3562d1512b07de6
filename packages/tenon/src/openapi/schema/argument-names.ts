/**
 * Renames the members of a tool's arguments whose names are no keys that all models accept, such as `@odata.type` in a body, and undoes
 * it in the arguments of a call; there, decimal texts of integers become numbers with all digits. The names of parameters are chosen in `parameters.ts`.
 */
import { ARGUMENT_KEY } from "../../base/argument-keys.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { restoreArguments, type Changes, type Undo } from "../../schema/restore-arguments.ts";
import { NumberText } from "../../jsonrpc/exact-numbers.ts";
import { takesDecimalText } from "./wide-integers.ts";
import { ShownKeys } from "../../schema/shown-keys.ts";
import { LIST_KEYWORDS, MAP_KEYWORDS, mapSchemas, SCHEMA_KEYWORDS } from "./keywords.ts";

/** The schema of arguments with accepted keys. */
export interface NamedArguments {
  readonly schema: JsonObject;
  /** Arguments of a call with the names that the API gives to them. */
  restore(args: JsonObject): JsonObject;
}

const ONE: ReadonlySet<string> = new Set(SCHEMA_KEYWORDS);
const LISTS: ReadonlySet<string> = new Set(LIST_KEYWORDS);
const MAPS: ReadonlySet<string> = new Set([...MAP_KEYWORDS, "$defs"]);

/** What else is undone in the arguments of a call. Default: decimal texts of integers become numbers. */
export type ValueChanges = Pick<Changes, "scalar" | "object">;

/** The schema itself if all of its names are accepted. */
export function withArgumentNames(schema: JsonObject, values: ValueChanges = { scalar }): NamedArguments {
  const keys = new ShownKeys(schema, ARGUMENT_KEY);
  const undo = new WeakMap<JsonObject, Undo>();
  const rename = (each: unknown): unknown => {
    if (!isJsonObject(each)) return each;
    const renamed: JsonObject = {};
    for (const [keyword, argument] of Object.entries(each)) renamed[keyword] = inside(keyword, argument, { keys, rename });
    const names = Object.keys(isJsonObject(each["properties"]) ? each["properties"] : {});
    const changed = names.map((name) => [keys.shown(name), name] as const).filter(([shown, name]) => shown !== name);
    if (changed.length > 0) undo.set(renamed, { renamed: new Map(changed), optional: new Set() });
    return renamed;
  };
  const root = keys.isNeeded ? (rename(schema) as JsonObject) : schema; // an object stays one
  const defs = new Map(Object.entries(isJsonObject(root["$defs"]) ? root["$defs"] : {})) as Map<string, JsonObject>; // schemas
  return { schema: root, restore: (args) => restoreArguments(args, root, { defs, undo, ...values }) as JsonObject };
}

/** A body has an integer of 64 bits as a number, with the digits of its text. */
function scalar(value: unknown, schema: JsonObject): unknown {
  return typeof value === "string" && takesDecimalText(schema) ? new NumberText(String(BigInt(value))) : value;
}

interface Renaming {
  readonly keys: ShownKeys;
  readonly rename: (schema: unknown) => unknown;
}

/** The argument of a keyword with renamed members. */
function inside(keyword: string, argument: unknown, { keys, rename }: Renaming): unknown {
  if (ONE.has(keyword)) return rename(argument);
  if (LISTS.has(keyword) && Array.isArray(argument)) return argument.map(rename);
  if (keyword === "required" && Array.isArray(argument)) return argument.map((name) => keys.shown(String(name)));
  if (keyword === "dependentRequired") return keys.inNames(argument);
  if (!MAPS.has(keyword)) return argument;
  const mapped = mapSchemas(argument, rename);
  return keyword === "properties" || keyword === "dependentSchemas" ? keys.inMembers(mapped ?? {}) : mapped;
}
