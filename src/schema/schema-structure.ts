/**
 * The structure of a JSON Schema: which argument each keyword takes, as the meta-schemas of the dialects say.
 *
 * A server judges its own schemas by it when they are registered. A peer's schemas are not held to it: the interpreter takes
 * all that it can run. Whether a `pattern` can run and where a `$ref` leads is no matter of structure.
 */
import { canonicalJson } from "../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { knownDialectOf, type Dialect } from "./dialect.ts";
import type { SchemaIssue } from "./standard-schema.ts";

/** The form a keyword's argument must have. Says what is wrong with it, if anything, and adds the subschemas in it to `found`. */
type Form = (argument: unknown, found: Subschema[]) => string | undefined;

/** A schema in a keyword's argument, or what is there in its place. */
interface Subschema {
  readonly schema: unknown;
  /** Where it is, if the argument holds several. */
  readonly key?: PropertyKey;
}

/** A schema that has to be judged, and where it is. */
interface Place {
  readonly schema: unknown;
  readonly path: readonly PropertyKey[];
  readonly parent: Place | undefined;
}

/**
 * The first thing that is wrong with the structure of a schema, from the outside in; undefined if it is valid. A schema of an
 * unknown dialect is not judged. Takes a list and no recursion, so that no depth and no cycle can exhaust the stack.
 */
export function findSchemaFault(root: JsonObject): SchemaIssue | undefined {
  const dialect = knownDialectOf(root["$schema"]);
  if (dialect === undefined) return undefined;
  const seen = new Set<unknown>();
  const open: Place[] = [{ schema: root, path: [], parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { schema } = place;
    if (typeof schema === "boolean" || seen.has(schema)) continue;
    if (!isJsonObject(schema)) return issueAt(place, "must be a schema: an object or a boolean");
    seen.add(schema);
    const inside: Place[] = [];
    for (const keyword of Object.keys(schema)) {
      const found: Subschema[] = [];
      const fault = faultOf(keyword, schema[keyword], dialect, found);
      if (fault !== undefined) return issueAt(place, fault, keyword);
      for (const each of found)
        inside.push({ schema: each.schema, path: each.key === undefined ? [keyword] : [keyword, each.key], parent: place });
    }
    for (let i = inside.length - 1; i >= 0; i--) open.push(inside[i]!);
  }
  return undefined;
}

function faultOf(keyword: string, argument: unknown, dialect: Dialect, found: Subschema[]): string | undefined {
  // A member that is undefined is not there, as in JSON.
  return argument === undefined ? undefined : formOf(keyword, dialect)?.(argument, found);
}

function issueAt(place: Place, message: string, ...path: PropertyKey[]): SchemaIssue {
  const paths: (readonly PropertyKey[])[] = [path];
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) paths.push(at.path);
  return { message, path: paths.reverse().flat() };
}

/** The subschemas in a keyword's argument, whichever dialect has it so. */
export function subschemasIn(keyword: string, argument: unknown): readonly unknown[] {
  const found: Subschema[] = [];
  for (const [, , , form] of ROWS_OF.get(keyword) ?? []) form(argument, found);
  return found.map(({ schema }) => schema);
}

// ---- forms ----

function plain(fits: (value: unknown) => boolean, fault: string): Form {
  return (argument) => (fits(argument) ? undefined : fault);
}

function text(pattern: RegExp, fault: string): Form {
  return plain((value) => typeof value === "string" && pattern.test(value), fault);
}

/** An object with members of one form. A member that is undefined is not there, as in JSON. */
function members(form: Form, fault: string): Form {
  return (argument, found) => {
    if (!isJsonObject(argument)) return fault;
    for (const key of Object.keys(argument)) {
      const inside: Subschema[] = [];
      if (argument[key] !== undefined && form(argument[key], inside) !== undefined) return fault;
      for (const each of inside) found.push({ schema: each.schema, key });
    }
    return undefined;
  };
}

const isString = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isDistinct = (values: readonly unknown[]): boolean => new Set(values.map(canonicalJson)).size === values.length;

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
const schema: Form = (argument, found) => void found.push({ schema: argument });
const schemas: Form = (argument, found) => {
  if (!Array.isArray(argument) || argument.length === 0) return "must be a list of one or more schemas";
  for (const [key, each] of argument.entries()) found.push({ schema: each, key });
  return undefined;
};
const schemaOrSchemas: Form = (argument, found) => (Array.isArray(argument) ? schemas : schema)(argument, found);
const schemaOrNames: Form = (argument, found) => (Array.isArray(argument) ? names : schema)(argument, found);
const schemaNoList: Form = (argument, found) =>
  Array.isArray(argument) ? 'must be a schema: a list of schemas is "prefixItems" in 2020-12' : schema(argument, found);
const schemasByName = members(schema, "must be an object whose members are schemas");
const namesByName = members(names, "must be an object whose members are lists of strings");
const anchor2019 = text(/^[A-Za-z][-A-Za-z0-9.:_]*$/, "must be a name: a letter, then letters, digits and - . : _");
const anchor2020 = text(/^[A-Za-z_][-A-Za-z0-9._]*$/, "must be a name: a letter or _, then letters, digits and - . _");
const wholeUri = text(/^[^#]*#?$/, "must be a URI reference without a fragment");

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const type: Form = (value) => {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = given.findIndex((name) => !TYPES.has(name));
  if (wrong >= 0) return `${JSON.stringify(given[wrong])} is not a JSON Schema type`;
  return given.length > 0 && new Set(given).size === given.length ? undefined : "must be a type or a list of different types";
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
  [["items"], 6, 2019, schemaOrSchemas],
  [["items"], 2020, 2020, schemaNoList],
  [["additionalItems"], 6, 2019, schema],
  [["properties", "patternProperties", "definitions"], 6, 2020, schemasByName],
  [["$defs", "dependentSchemas"], 2019, 2020, schemasByName],
  [["dependentRequired"], 2019, 2020, namesByName],
  [["dependencies"], 6, 2020, members(schemaOrNames, "must be an object whose members are schemas or lists of strings")],
];

const ROWS_OF = new Map<string, Row[]>();
for (const row of ROWS) {
  for (const keyword of row[0]) {
    const rows = ROWS_OF.get(keyword);
    if (rows === undefined) ROWS_OF.set(keyword, [row]);
    else rows.push(row);
  }
}

function formOf(keyword: string, dialect: Dialect): Form | undefined {
  return ROWS_OF.get(keyword)?.find(([, since, until]) => since <= dialect && dialect <= until)?.[3];
}
