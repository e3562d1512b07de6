/** Merges the parts of an `allOf` into one schema, where that is possible. */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";

/** Joins schemas into one, and says whether it accepts exactly what all of them accept together. */
export interface Merged {
  readonly schema: JsonObject;
  readonly exact: boolean;
}

const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
/** Keywords of two parts that can be joined exactly. */
const JOIN: ReadonlyMap<string, (left: unknown, right: unknown) => unknown> = new Map([
  ["minimum", max],
  ["exclusiveMinimum", max],
  ["minLength", max],
  ["minItems", max],
  ["minProperties", max],
  ["maximum", min],
  ["exclusiveMaximum", min],
  ["maxLength", min],
  ["maxItems", min],
  ["maxProperties", min],
  ["required", (left, right) => [...new Set([...(left as string[]), ...(right as string[])])]],
  ["description", (left) => left],
  ["title", (left) => left],
  ["default", (left) => left],
]);
/** Keywords whose effect depends on their neighbours, so that a part with one cannot be joined with other members. */
const CLOSING = ["additionalProperties", "unevaluatedProperties", "patternProperties", "if", "then", "else", "prefixItems"];

export function mergeAll(parts: readonly JsonObject[]): Merged {
  return parts.reduce<Merged>(
    (whole, part) => {
      const { schema, exact } = merge(whole.schema, part);
      return { schema, exact: exact && whole.exact };
    },
    { schema: {}, exact: true },
  );
}

function merge(left: JsonObject, right: JsonObject): Merged {
  const schema: JsonObject = { ...left };
  let exact = true;
  for (const [key, value] of Object.entries(right)) {
    const own = schema[key];
    if (own === undefined || same(own, value)) schema[key] = value;
    else if (key === "properties") schema[key] = bothProperties(own, value);
    else if (JOIN.has(key)) schema[key] = JOIN.get(key)!(own, value);
    else exact = false;
  }
  const closed = Object.keys(left).length > 0 && CLOSING.some((key) => key in schema && !same(left[key], right[key]));
  if (closed) for (const key of CLOSING) if (!same(left[key], right[key])) delete schema[key];
  return { schema, exact: exact && !closed };
}

/** The members of both; one that both have must match both. */
function bothProperties(left: unknown, right: unknown): JsonObject {
  const joined: JsonObject = { ...(isJsonObject(left) ? left : {}) };
  for (const [name, schema] of Object.entries(isJsonObject(right) ? right : {})) {
    const own = Object.hasOwn(joined, name) ? joined[name] : undefined;
    const value = own === undefined || same(own, schema) ? schema : { allOf: [own, schema] };
    setMember(joined, name, value);
  }
  return joined;
}

function max(left: unknown, right: unknown): unknown {
  return Math.max(Number(left), Number(right));
}

function min(left: unknown, right: unknown): unknown {
  return Math.min(Number(left), Number(right));
}
