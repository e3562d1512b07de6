/**
 * Rewrites a foreign JSON Schema (2020-12 or draft-07) into the part of draft-07 from which types are made.
 *
 * Security: only known keywords are kept. `json-schema-to-typescript` has keywords that put their text into the program
 * (`tsType`), and it reads files and URLs that a `$ref` names. Patterns are dropped, and never run.
 */
import { clean, isJsonObject, shorten, targetOf, pointerSteps } from "tenon/internal";
import type { JsonObject } from "tenon";

/** Most values in one schema; a larger one becomes `unknown`. */
const MAX_NODES = 20_000;
/** Deepest nesting; what is deeper becomes `unknown`. */
const MAX_DEPTH = 40;
/** Most values of an enumeration; a longer one becomes its type. */
const MAX_CHOICES = 500;
/** Longest comment, in characters. */
const MAX_COMMENT = 1_000;

/** A schema that no types can be made from, and why. */
export class SchemaRefused extends Error {
  override name = "SchemaRefused";
}

/** @param nameOf makes the name of a type for a definition @throws SchemaRefused if the schema is too large */
export function toPlainSchema(schema: unknown, nameOf: (definition: string) => string): JsonObject {
  const rewriter = new Rewriter(schema, nameOf);
  const plain = rewriter.rewrite(schema, 0);
  const definitions = rewriter.definitions();
  return Object.keys(definitions).length === 0 ? plain : { ...plain, definitions };
}

class Rewriter {
  readonly #root: unknown;
  readonly #nameOf: (definition: string) => string;
  /** The names of types, by the references that lead to them. */
  readonly #names = new Map<string, string>();
  #nodes = 0;

  constructor(root: unknown, nameOf: (definition: string) => string) {
    this.#root = root;
    this.#nameOf = nameOf;
  }

  /** The definitions that were referred to, and those that they refer to. */
  definitions(): JsonObject {
    const found: Record<string, JsonObject> = {};
    // The map grows while it is read.
    for (const [ref, name] of this.#names) found[name] = this.rewrite(targetOf(this.#root, ref), 0, true);
    return found;
  }

  /** @param isTarget whether this is what a reference leads to, so that `#` does not lead to itself */
  rewrite(schema: unknown, depth: number, isTarget = false): JsonObject {
    if (++this.#nodes > MAX_NODES) throw new SchemaRefused(`it has more than ${MAX_NODES} parts`);
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return {};
    const { $ref: ref } = schema;
    if (typeof ref === "string") return this.#reference(ref, isTarget);
    const below = (value: unknown): JsonObject => this.rewrite(value, depth + 1);
    return {
      ...commentOf(schema),
      ...enumOf(schema),
      ...objectOf(schema, below),
      ...listOf(schema, below),
      ...combinedOf(schema, below),
    };
  }

  /** Only definitions of the schema itself: anything else, such as a URL, is unknown. */
  #reference(ref: string, isTarget: boolean): JsonObject {
    const key = /^#(?:\/(?:\$defs|definitions)\/([^/]+))?$/.exec(ref);
    if (key === null || isTarget || targetOf(this.#root, ref) === undefined) return {};
    const name = this.#names.get(ref) ?? this.#nameOf(key[1] === undefined ? "Root" : pointerSteps(ref).at(-1)!);
    this.#names.set(ref, name);
    return { $ref: `#/definitions/${name}` };
  }
}

function commentOf({ description }: JsonObject): JsonObject {
  return typeof description === "string" && description !== "" ? { description: shorten(clean(description), MAX_COMMENT) } : {};
}

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "null", "object", "array"]);

function enumOf(schema: JsonObject): JsonObject {
  const types = (Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]).filter((type) => TYPES.has(type));
  const type = types.length === 0 ? {} : { type: types.length === 1 ? types[0]! : types };
  const choices: unknown = "const" in schema ? [schema["const"]] : schema["enum"];
  if (!Array.isArray(choices) || choices.length > MAX_CHOICES) return type;
  const simple = choices.every((choice) => choice === null || typeof choice !== "object");
  return simple && choices.length > 0 ? { enum: choices as (string | number | boolean | null)[] } : type; // just checked
}

type Below = (schema: unknown) => JsonObject;

/** A member that is not named is refused by the compiler, if the schema does not ask for more: it is most often a typing mistake. */
function objectOf(schema: JsonObject, below: Below): JsonObject {
  const { properties, required, additionalProperties: more, patternProperties } = schema;
  const named = isJsonObject(properties) ? Object.entries(properties).map(([name, value]) => [name, below(value)] as const) : [];
  if (schema["type"] !== "object" && named.length === 0) return {};
  const isOpen = isJsonObject(patternProperties) || more === true || (named.length === 0 && more === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(named),
    ...(Array.isArray(required) && { required: required.filter((name) => typeof name === "string") }),
    additionalProperties: isJsonObject(more) && !isJsonObject(patternProperties) ? below(more) : isOpen,
  };
}

function listOf(schema: JsonObject, below: Below): JsonObject {
  const { prefixItems, items, minItems } = schema;
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (tuple === undefined) return isJsonObject(items) ? { items: below(items) } : {};
  const rest = Array.isArray(prefixItems) ? items : schema["additionalItems"];
  return {
    items: tuple.map(below),
    additionalItems: isJsonObject(rest) ? below(rest) : rest !== false,
    minItems: typeof minItems === "number" ? Math.min(minItems, tuple.length) : 0,
    ...(rest === false && { maxItems: tuple.length }),
  };
}

function combinedOf(schema: JsonObject, below: Below): JsonObject {
  const found = ["anyOf", "oneOf", "allOf"].map((keyword) => [keyword, schema[keyword]] as const);
  return Object.fromEntries(
    found.flatMap(([keyword, list]) => (Array.isArray(list) && list.length > 0 ? [[keyword, list.map(below)]] : [])),
  );
}
