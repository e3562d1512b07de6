/**
 * Mends a JSON Schema that a peer has written: keywords that are null are absent, `[]` in the place of an object is `{}`, and `{}` in
 * the place of a list is `[]`. PHP, R and Lua cannot tell an empty list from an empty object.
 *
 * It is used where a schema turned out to be invalid. Values inside of a schema (`default`, `enum`) stay as they are.
 */
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { Findings, type Reading } from "./deviations.ts";
import { isEmptyList, isEmptyObject } from "./empty.ts";

/** What a keyword holds. A keyword that is not here holds a value that is neither a schema nor a list of them. */
type Holds = "schema" | "schemas" | "schemasByName" | "names" | "value";

const SCHEMAS_BY_NAME = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const ONE_SCHEMA = ["items", "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames"];
const KEYWORDS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...SCHEMAS_BY_NAME.map((name): [string, Holds] => [name, "schemasByName"]),
  ...[...ONE_SCHEMA, "unevaluatedItems", "unevaluatedProperties"].map((name): [string, Holds] => [name, "schema"]),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((name): [string, Holds] => [name, "schemas"]),
  ["required", "names"],
  ...["default", "const", "example"].map((name): [string, Holds] => [name, "value"]),
]);

/** The schema without what is wrong in it; the same object if there is nothing to mend. */
export function mendSchema(schema: unknown, path: string, findings: Findings): unknown {
  if (isEmptyList(schema)) return emptyObject(path, findings);
  if (!isJsonObject(schema)) return schema;
  let copy: JsonObject | undefined;
  for (const [keyword, before] of Object.entries(schema)) {
    const holds = KEYWORDS.get(keyword);
    const place = `${path}.${keyword}`;
    if (before === null && holds !== "value" && !keyword.startsWith("x-")) {
      findings.add("null", place, "is null");
      delete (copy ??= { ...schema })[keyword];
      continue;
    }
    const after = holds === undefined ? before : mendKeyword(holds, before, place, findings);
    if (after !== before) (copy ??= { ...schema })[keyword] = after;
  }
  return copy ?? schema;
}

/** {@link mendSchema}, for a schema that was read before. @param place where it stands in its message */
export function mendedSchema(schema: JsonObject, place: string, reading: Reading): JsonObject {
  if (!mayDeviate(schema)) return schema;
  const findings = new Findings(place, undefined, false);
  const mended = mendSchema(schema, "", findings);
  for (const deviation of findings.deviations) reading.deviated(deviation);
  return mended as JsonObject; // an object, as before
}

/** Whether there may be anything that {@link mendSchema} could mend. Most schemas have nothing, and their text shows it sooner than a walk. */
function mayDeviate(schema: JsonObject): boolean {
  return /[[:,]null|\[\]|\{\}/.test(JSON.stringify(schema));
}

function mendKeyword(holds: Holds, value: unknown, path: string, findings: Findings): unknown {
  switch (holds) {
    case "schema":
      // Before 2020-12 `items` could be a list of schemas.
      return Array.isArray(value) && value.length > 0 ? mendEach(value, path, findings) : mendSchema(value, path, findings);
    case "schemas":
      return Array.isArray(value) ? mendEach(value, path, findings) : value;
    case "schemasByName":
      return mendMembers(isEmptyList(value) ? emptyObject(path, findings) : value, path, findings);
    case "names":
      return isEmptyObject(value) ? emptyList(path, findings) : value;
    default:
      return value;
  }
}

function mendEach(list: readonly unknown[], path: string, findings: Findings): readonly unknown[] {
  const mended = list.map((item, index) => mendSchema(item, `${path}[${index}]`, findings));
  return mended.some((item, index) => item !== list[index]) ? mended : list;
}

function mendMembers(value: unknown, path: string, findings: Findings): unknown {
  if (!isJsonObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const [name, before] of Object.entries(value)) {
    const place = memberPath(path, name);
    if (before === null) {
      findings.add("null", place, "is null");
      delete (copy ??= { ...value })[name];
      continue;
    }
    const after = mendSchema(before, place, findings);
    // The copy owns every key already, so that "__proto__" is set as any other.
    if (after !== before) (copy ??= { ...value })[name] = after;
  }
  return copy ?? value;
}

// ---- empty lists and objects ----

/** How much of a peer's key a path quotes, in UTF-16 code units. */
const MAX_QUOTED_KEY = 64;

/** The path of a member of a map, whose key the peer has chosen. */
export function memberPath(path: string, key: string): string {
  return `${path}[${JSON.stringify(key.slice(0, MAX_QUOTED_KEY))}]`;
}

/** @returns what an empty list in the place of an object means */
export function emptyObject(path: string, findings: Findings): JsonObject {
  findings.add("empty-list", path, "is an empty list, not an object");
  return {};
}

/** @returns what an empty object in the place of a list means */
export function emptyList(path: string, findings: Findings): unknown[] {
  findings.add("empty-object", path, "is an empty object, not a list");
  return [];
}
