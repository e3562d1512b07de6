/**
 * The structure of a JSON Schema: which argument each keyword takes, as the meta-schemas of the dialects say.
 *
 * A server judges its own schemas by it when they are registered. A peer's schemas are not held to it: the interpreter takes
 * all that it can run. Whether a `pattern` can run and where a `$ref` leads is no matter of structure.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { knownDialectOf, type Dialect } from "./dialect.ts";
import { canonicalText } from "./equality.ts";
import { Run } from "./run.ts";
import { defaultSchemaLimits } from "./schema-limits.ts";
import type { SchemaIssue } from "./standard-schema.ts";

/** Says what is wrong with a value, or which parts of it have a form of their own. */
type Form = (value: unknown, dialect: Dialect) => string | readonly Part[];

/** A value inside another, or that value itself, and the form it must have. */
interface Part {
  /** Where it is; absent for the value itself. */
  readonly key?: PropertyKey;
  readonly value: unknown;
  readonly form: Form;
}

/** A part that has to be judged, and what it is a part of. */
interface Place extends Part {
  readonly parent: Place | undefined;
}

/**
 * The first thing that is wrong with the structure of a schema, in the order it is written; undefined if it is valid. A schema of
 * an unknown dialect is not judged. Takes a list and no recursion, so that no depth and no cycle can exhaust the stack.
 */
export function findSchemaFault(root: JsonObject): SchemaIssue | undefined {
  const dialect = knownDialectOf(root["$schema"]);
  if (dialect === undefined) return undefined;
  const seen = new Set<unknown>();
  const open: Place[] = [{ value: root, form: schema, parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value, form } = place;
    if (form === schema && isJsonObject(value)) {
      if (seen.has(value)) continue;
      seen.add(value);
    }
    const parts = form(value, dialect);
    if (typeof parts === "string") return { message: parts, path: pathOf(place) };
    for (let i = parts.length - 1; i >= 0; i--) open.push({ ...parts[i]!, parent: place });
  }
  return undefined;
}

function pathOf(place: Place): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) if (at.key !== undefined) path.push(at.key);
  return path.reverse();
}

/** The subschemas in a keyword's argument, whichever dialect has it so. */
export function subschemasIn(keyword: string, argument: unknown): readonly unknown[] {
  return ROWS_OF.get(keyword)?.flatMap(([, , , form]) => schemasIn(form, argument)) ?? [];
}

function schemasIn(form: Form, value: unknown): readonly unknown[] {
  if (form === schema) return [value];
  const parts = form(value, 2020);
  return typeof parts === "string" ? [] : parts.flatMap((part) => schemasIn(part.form, part.value));
}

// ---- forms ----

const NO_PARTS: readonly Part[] = [];

const schema: Form = (value, dialect) => {
  if (typeof value === "boolean") return NO_PARTS;
  if (!isJsonObject(value)) return "must be a schema: an object or a boolean";
  return Object.entries(value).flatMap(([key, argument]) => {
    const form = argument === undefined ? undefined : formOf(key, dialect);
    return form === undefined ? [] : [{ key, value: argument, form }];
  });
};

function plain(fits: (value: unknown) => boolean, fault: string): Form {
  return (value) => (fits(value) ? NO_PARTS : fault);
}

function text(pattern: RegExp, fault: string): Form {
  return plain((value) => typeof value === "string" && pattern.test(value), fault);
}

/** An object with members of one form. A member that is undefined is not there, as in JSON. */
function members(form: Form, fault: string): Form {
  return (value) => {
    if (!isJsonObject(value)) return fault;
    return Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : [{ key, value: member, form }]));
  };
}

/** One form for arrays, another for everything else. */
function listOr(list: Form, other: Form): Form {
  return (value) => [{ value, form: Array.isArray(value) ? list : other }];
}

const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isDistinct = (list: readonly unknown[]): boolean => {
  const run = new Run(defaultSchemaLimits);
  run.reset();
  return new Set(list.map((item) => canonicalText(item, run))).size === list.length;
};

const anyString = plain(isString, "must be a string");
const boolean = plain((value) => typeof value === "boolean", "must be true or false");
const number = plain(isNumber, "must be a number");
const positive = plain((value) => isNumber(value) && value > 0, "must be a number greater than 0");
const count = plain((value) => isNumber(value) && value >= 0 && Number.isInteger(value), "must be an integer, 0 or greater");
const list = plain(Array.isArray, "must be an array");
const choices = plain((value) => Array.isArray(value) && value.length > 0 && isDistinct(value), "must be an array of different values");
const names = plain(
  (value) => Array.isArray(value) && value.every(isString) && new Set(value).size === value.length,
  "must be a list of different strings",
);
const schemas: Form = (value) =>
  Array.isArray(value) && value.length > 0 ? value.map((each, key) => ({ key, value: each, form: schema })) : "must be a list of one or more schemas";
const schemasByName = members(schema, "must be an object whose members are schemas");
const namesByName = members(names, "must be an object whose members are lists of strings");
const noList: Form = () => 'must be a schema: a list of schemas is "prefixItems" in 2020-12';
const anchor2019 = text(/^[A-Za-z][-A-Za-z0-9.:_]*$/, "must be a name: a letter, then letters, digits and - . : _");
const anchor2020 = text(/^[A-Za-z_][-A-Za-z0-9._]*$/, "must be a name: a letter or _, then letters, digits and - . _");
const wholeUri = text(/^[^#]*#?$/, "must be a URI reference without a fragment");

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const type: Form = (value) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = given.findIndex((name) => !TYPES.has(name));
  if (wrong >= 0) return `${JSON.stringify(given[wrong])} is not a JSON Schema type`;
  return given.length > 0 && new Set(given).size === given.length ? NO_PARTS : "must be a type or a list of different types";
};

/** Keywords, the first and the last dialect that has them in that form, and the form. */
type Row = readonly [keywords: readonly string[], since: Dialect, until: Dialect, form: Form];
const ROWS: readonly Row[] = [
  [["$schema", "$ref", "title", "description", "format", "pattern"], 6, 2020, anyString],
  [["$comment", "contentMediaType", "contentEncoding"], 7, 2020, anyString],
  [["$id"], 6, 7, anyString],
  [["$id"], 2019, 2020, wholeUri],
  [["$recursiveRef"], 2019, 2020, anyString],
  [["$dynamicRef"], 2020, 2020, anyString],
  [["$anchor"], 2019, 2019, anchor2019],
  [["$recursiveAnchor"], 2019, 2019, boolean],
  [["$anchor", "$dynamicAnchor", "$recursiveAnchor"], 2020, 2020, anchor2020],
  [["$vocabulary"], 2019, 2020, members(boolean, "must be an object whose members are true or false")],
  [["readOnly"], 7, 2020, boolean],
  [["writeOnly", "deprecated"], 2019, 2020, boolean],
  [["uniqueItems"], 6, 2020, boolean],
  [["examples"], 6, 2020, list],
  [["type"], 6, 2020, type],
  [["enum"], 6, 7, choices],
  [["enum"], 2019, 2020, list],
  [["required"], 6, 2020, names],
  [["multipleOf"], 6, 2020, positive],
  [["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"], 6, 2020, number],
  [["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"], 6, 2020, count],
  [["maxContains", "minContains"], 2019, 2020, count],
  [["allOf", "anyOf", "oneOf"], 6, 2020, schemas],
  [["not", "contains", "additionalProperties", "propertyNames"], 6, 2020, schema],
  [["if", "then", "else"], 7, 2020, schema],
  [["unevaluatedItems", "unevaluatedProperties", "contentSchema"], 2019, 2020, schema],
  [["prefixItems"], 2020, 2020, schemas],
  [["items"], 6, 2019, listOr(schemas, schema)],
  [["items"], 2020, 2020, listOr(noList, schema)],
  [["additionalItems"], 6, 2019, schema],
  [["properties", "patternProperties", "definitions"], 6, 2020, schemasByName],
  [["$defs", "dependentSchemas"], 2019, 2020, schemasByName],
  [["dependentRequired"], 2019, 2020, namesByName],
  [["dependencies"], 6, 2020, members(listOr(names, schema), "must be an object whose members are schemas or lists of strings")],
];

const ROWS_OF: ReadonlyMap<string, readonly Row[]> = new Map(
  ROWS.flatMap(([keywords]) => keywords).map((keyword) => [keyword, ROWS.filter(([keywords]) => keywords.includes(keyword))]),
);

function formOf(keyword: string, dialect: Dialect): Form | undefined {
  return ROWS_OF.get(keyword)?.find(([, since, until]) => since <= dialect && dialect <= until)?.[3];
}
