/**
 * The structure of a JSON Schema: which argument each keyword takes, as the meta-schemas of the dialects say.
 *
 * A server checks its own schemas when they are registered. A peer's schemas are not checked: the interpreter accepts all that it
 * can run. Whether a `pattern` can run and where a `$ref` points is not part of the structure.
 */
import { canonicalJson } from "../base/json-values.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { knownDialectOf, type Dialect } from "./dialect.ts";
import type { SchemaIssue } from "./standard-schema.ts";

interface Form {
  /** Whether an argument has this form; its subschemas are not checked here. */
  readonly fits: (argument: unknown) => boolean;
  readonly fault: string | ((argument: unknown) => string);
  /** The subschemas in an argument that fits. Absent if it has none. */
  readonly subschemas?: (argument: unknown) => readonly Subschema[];
}

interface Subschema {
  readonly schema: unknown;
  /** Its key, if the argument holds several. */
  readonly key?: PropertyKey;
}

interface SchemaPlace {
  readonly schema: unknown;
  readonly path: readonly PropertyKey[];
  readonly parent: SchemaPlace | undefined;
}

/**
 * The first structural fault of a schema, from the outside in; undefined if it is valid. A schema of an unknown dialect is not
 * checked. Uses a list instead of recursion, so that no depth and no cycle can exhaust the stack.
 */
export function findSchemaFault(root: JsonObject): SchemaIssue | undefined {
  const dialect = knownDialectOf(root["$schema"]);
  if (dialect === undefined) return undefined;
  const visited = new Set<unknown>();
  const open: SchemaPlace[] = [{ schema: root, path: [], parent: undefined }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { schema } = place;
    if (typeof schema === "boolean" || visited.has(schema)) continue;
    if (!isJsonObject(schema)) return issueAt(place, "must be a schema: an object or a boolean");
    visited.add(schema);
    const inside: SchemaPlace[] = [];
    for (const [keyword, argument] of Object.entries(schema)) {
      // A member that is undefined is absent, as in JSON.
      const form = argument === undefined ? undefined : formOf(keyword, dialect);
      if (form === undefined) continue;
      if (!form.fits(argument)) return issueAt(place, typeof form.fault === "string" ? form.fault : form.fault(argument), keyword);
      for (const { schema: inner, key } of form.subschemas?.(argument) ?? [])
        inside.push({ schema: inner, path: key === undefined ? [keyword] : [keyword, key], parent: place });
    }
    for (let i = inside.length - 1; i >= 0; i--) open.push(inside[i]!);
  }
  return undefined;
}

function issueAt(place: SchemaPlace, message: string, keyword?: string): SchemaIssue {
  const paths: (readonly PropertyKey[])[] = keyword === undefined ? [] : [[keyword]];
  for (let at: SchemaPlace | undefined = place; at !== undefined; at = at.parent) paths.push(at.path);
  return { message, path: paths.reverse().flat() };
}

export function subschemasIn(keyword: string, argument: unknown): readonly unknown[] {
  const forms = rowsOf(keyword).map(([, , , form]) => form);
  return forms.flatMap((form) => (form.fits(argument) ? (form.subschemas?.(argument) ?? []).map(({ schema }) => schema) : []));
}

/** Whether an argument has the form that its keyword requires in 2020-12; its subschemas are not checked. False for an unknown keyword. */
export function fitsKeyword(keyword: string, argument: unknown): boolean {
  return formOf(keyword, 2020)?.fits(argument) ?? false;
}

/** Whether 2020-12 says which argument the keyword takes. */
export function isKeyword(keyword: string): boolean {
  return formOf(keyword, 2020) !== undefined;
}

// ---- forms ----

const isString = (value: unknown): boolean => typeof value === "string";
const isBoolean = (value: unknown): boolean => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
const isFilledList = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > 0;
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isString) && new Set(value).size === value.length;
const isDistinct = (values: readonly unknown[]): boolean => new Set(values.map(canonicalJson)).size === values.length;
const matches = (pattern: RegExp, value: unknown): boolean => typeof value === "string" && pattern.test(value);

const itself = (argument: unknown): readonly Subschema[] => [{ schema: argument }];
const itemsOf = (argument: unknown): readonly Subschema[] => (argument as unknown[]).map((schema, key) => ({ schema, key })); // an array, by its form
/** A member that is undefined is absent, as in JSON. */
const membersOf = (argument: unknown): readonly Subschema[] =>
  Object.entries(argument as JsonObject).flatMap(([key, schema]) => (schema === undefined ? [] : [{ schema, key }])); // an object, by its form
const isMapOf = (fits: (member: unknown) => boolean, value: unknown): boolean =>
  isJsonObject(value) && membersOf(value).every(({ schema }) => fits(schema));

const anyString: Form = { fits: isString, fault: "must be a string" };
const boolean: Form = { fits: isBoolean, fault: "must be true or false" };
const number: Form = { fits: isNumber, fault: "must be a number" };
const positive: Form = { fits: (value) => isNumber(value) && value > 0, fault: "must be a number greater than 0" };
const count: Form = {
  fits: (value) => isNumber(value) && value >= 0 && Number.isInteger(value),
  fault: "must be an integer, 0 or greater",
};
const list: Form = { fits: (value) => Array.isArray(value), fault: "must be an array" };
const choices: Form = { fits: (value) => isFilledList(value) && isDistinct(value), fault: "must be an array of different values" };
const names: Form = { fits: isNames, fault: "must be a list of different strings" };
const wholeUri: Form = { fits: (value) => matches(/^[^#]*#?$/, value), fault: "must be a URI reference without a fragment" };
const anchor2019: Form = {
  fits: (value) => matches(/^[A-Za-z][-A-Za-z0-9.:_]*$/, value),
  fault: "must be a name: a letter, then letters, digits and - . : _",
};
const anchor2020: Form = {
  fits: (value) => matches(/^[A-Za-z_][-A-Za-z0-9._]*$/, value),
  fault: "must be a name: a letter or _, then letters, digits and - . _",
};

const schema: Form = { fits: () => true, fault: "", subschemas: itself };
const schemas: Form = { fits: isFilledList, fault: "must be a list of one or more schemas", subschemas: itemsOf };
const schemaOrSchemas: Form = {
  fits: (value) => !Array.isArray(value) || value.length > 0,
  fault: "must be a schema, or a list of one or more",
  subschemas: (argument) => (Array.isArray(argument) ? itemsOf : itself)(argument),
};
const schemaNoList: Form = {
  fits: (value) => !Array.isArray(value),
  fault: 'must be a schema: a list of schemas is "prefixItems" in 2020-12',
  subschemas: itself,
};
const schemasByName: Form = { fits: isJsonObject, fault: "must be an object whose members are schemas", subschemas: membersOf };
const namesByName: Form = {
  fits: (value) => isMapOf(isNames, value),
  fault: "must be an object whose members are lists of different strings",
};
const booleansByName: Form = { fits: (value) => isMapOf(isBoolean, value), fault: "must be an object whose members are true or false" };
const dependenciesByName: Form = {
  fits: (value) => isMapOf((member) => !Array.isArray(member) || isNames(member), value),
  fault: "must be an object whose members are schemas or lists of different strings",
  subschemas: (argument) => membersOf(argument).filter((member) => !Array.isArray(member.schema)),
};

const TYPES: ReadonlySet<unknown> = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);
const typesIn = (argument: unknown): readonly unknown[] => (Array.isArray(argument) ? argument : [argument]);
const type: Form = {
  fits: (argument) =>
    isFilledList(typesIn(argument)) && typesIn(argument).every((name) => TYPES.has(name)) && isDistinct(typesIn(argument)),
  fault: (argument) => {
    const wrong = typesIn(argument).findIndex((name) => !TYPES.has(name));
    return wrong < 0
      ? "must be a type or a list of different types"
      : `${JSON.stringify(typesIn(argument)[wrong])} is not a JSON Schema type`;
  },
};

/** Keywords, the first and the last dialect in which they have that form, and the form. */
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
  [["$vocabulary"], 2019, 2020, booleansByName],
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
  [["dependencies"], 6, 2020, dependenciesByName],
];

const NO_ROWS: readonly Row[] = [];
const rowsByKeyword = new Map<string, Row[]>();

function rowsOf(keyword: string): readonly Row[] {
  if (rowsByKeyword.size === 0) {
    for (const row of ROWS) for (const name of row[0]) rowsByKeyword.set(name, [...(rowsByKeyword.get(name) ?? []), row]);
  }
  return rowsByKeyword.get(keyword) ?? NO_ROWS;
}

function formOf(keyword: string, dialect: Dialect): Form | undefined {
  return rowsOf(keyword).find(([, since, until]) => since <= dialect && dialect <= until)?.[3];
}
