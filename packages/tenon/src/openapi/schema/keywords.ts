/**
 * The keywords of JSON Schema that a tool publishes, and the check of their arguments.
 *
 * Documents hold keywords of vendors, keywords of other dialects and wrong arguments. Those are left out, so that each schema
 * that is left compiles.
 */
import { isJsonObject, setMember, type JsonObject } from "../../jsonrpc/message.ts";
import { estimateSize, PatternSet } from "../../schema/pattern.ts";
import { defaultSchemaLimits } from "../../schema/schema-limits.ts";
import { fitsKeyword } from "../../schema/schema-structure.ts";

/** Keywords whose argument is one schema. */
export const SCHEMA_KEYWORDS = [
  "items",
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "unevaluatedItems",
  "unevaluatedProperties",
] as const;
/** Keywords whose argument is a list of schemas. */
export const LIST_KEYWORDS = ["allOf", "anyOf", "oneOf", "prefixItems"] as const;
/** Keywords whose argument has schemas by name. */
export const MAP_KEYWORDS = ["properties", "patternProperties", "dependentSchemas"] as const;

const VALUES = [
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
];
const COUNTS = ["maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties", "dependentRequired"];
const TEXTS = ["title", "description", "contentEncoding", "contentMediaType", "deprecated"];
/** Keywords that help to write a value, and mean nothing in a result. */
const FOR_INPUT = ["default", "examples", "format", "pattern"];
/** Most characters of an example as JSON. */
const MAX_EXAMPLE = 200;

/** Copies the keywords of a schema that hold no schemas, if their arguments are right. `required` is copied by the caller. */
export function copyKeywords(schema: JsonObject, { patterns, forInput }: { patterns: PatternBudget; forInput: boolean }): JsonObject {
  const copied: JsonObject = {};
  for (const keyword of [...VALUES, ...COUNTS, ...TEXTS, ...(forInput ? FOR_INPUT : [])]) {
    const argument = schema[keyword];
    if (argument === undefined) continue;
    if (keyword === "const" || keyword === "default" || fitsKeyword(keyword, argument)) copied[keyword] = argument;
  }
  const choices = copied["enum"] as readonly unknown[] | undefined; // a list, as checked above
  if (choices !== undefined && (choices.length === 0 || choices.length > MAX_CHOICES)) delete copied["enum"];
  const { pattern, examples } = copied;
  if (typeof pattern === "string" && !patterns.admits(pattern)) describePattern(copied, pattern);
  if (examples !== undefined && JSON.stringify(examples).length > MAX_EXAMPLE) delete copied["examples"];
  return copied;
}

/** Most values of an `enum`: a longer one costs more tokens than it is worth. */
const MAX_CHOICES = 500;

/** The API still checks a pattern that cannot run here; the model reads it in the description. */
function describePattern(schema: JsonObject, pattern: string): void {
  delete schema["pattern"];
  const { description } = schema;
  const words = `Must match the pattern ${pattern.slice(0, 200)}`;
  schema["description"] = typeof description === "string" ? `${description}\n\n${words}` : words;
}

/** The names in `required`, each once, without `hidden` ones. */
export function requiredOf(schema: JsonObject, hidden: ReadonlySet<string>): string[] {
  const { required } = schema;
  if (!Array.isArray(required)) return [];
  return [...new Set(required.filter((name): name is string => typeof name === "string" && !hidden.has(name)))];
}

/** Copies schemas by name with `convert`; members that are not schemas are left out. */
export function mapSchemas(schemas: unknown, convert: (schema: unknown, name: string) => unknown): JsonObject | undefined {
  if (!isJsonObject(schemas)) return undefined;
  const mapped: JsonObject = {};
  for (const name of Object.keys(schemas)) {
    const converted = convert(schemas[name], name);
    if (converted !== undefined) setMember(mapped, name, converted);
  }
  return mapped;
}

/** Decides which patterns a schema can hold: those that run in linear time, until the validator's limit of them all is reached. */
export class PatternBudget {
  readonly #verdicts: Map<string, boolean>;
  #size = 0;

  /** @param verdicts what is known of patterns already: documents repeat them */
  constructor(verdicts: Map<string, boolean>) {
    this.#verdicts = verdicts;
  }

  admits(pattern: string): boolean {
    if (!this.#runs(pattern)) return false;
    const size = 100 + estimateSize(pattern);
    if (this.#size + size > defaultSchemaLimits.patternSize) return false;
    this.#size += size;
    return true;
  }

  #runs(pattern: string): boolean {
    let verdict = this.#verdicts.get(pattern);
    if (verdict === undefined) {
      verdict = canRun(pattern);
      this.#verdicts.set(pattern, verdict);
    }
    return verdict;
  }
}

function canRun(pattern: string): boolean {
  try {
    new PatternSet(defaultSchemaLimits).get(pattern, "");
    return true;
  } catch {
    return false; // the pattern is not one of this engine, or is too large
  }
}
