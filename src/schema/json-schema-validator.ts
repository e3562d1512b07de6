/**
 * The validator for plain JSON Schemas, a peer's or the user's own: the pluggable interface, and the default.
 *
 * The default loads its engine when the first schema needs it, and the engine for patterns when the first pattern does;
 * after that, compiling is synchronous. A compiled schema is found again by its content, never by its `$id`, so two
 * versions of a schema cannot be mixed up.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import { assertBoundedSchema, defaultSchemaLimits, type SchemaLimits } from "./schema-limits.ts";
import type { JsonSchema, Validation } from "./standard-schema.ts";

/** Decides whether a value fits. Never changes it. Throws LimitExceededError where that would be too much work. */
export type JsonSchemaCheck = (value: unknown) => Validation;

/** What runs JSON Schemas. Whoever implements it decides on dialects and limits, and must never fetch a `$ref`. */
export interface JsonSchemaValidator {
  /**
   * @throws InvalidSchemaError for a schema that cannot be used, or rejects with it
   * @throws LimitExceededError for one that is too large
   */
  compile(schema: JsonSchema): MaybePromise<JsonSchemaCheck>;
}

/** Compiled schemas kept; the least recently used goes first. */
const CACHE_ENTRIES = 256;
/** Longer schemas, in UTF-16 code units of JSON, are compiled each time, so that the cache stays under 32 MiB. */
const CACHEABLE_LENGTH = 65_536;

/** The default validator with limits of its own. Its cache is its own too. */
export function createJsonSchemaValidator(limits: Partial<SchemaLimits> = {}): JsonSchemaValidator {
  const all = { ...defaultSchemaLimits, ...limits };
  const cache = new Map<string, JsonSchemaCheck>();
  return {
    compile(schema): MaybePromise<JsonSchemaCheck> {
      assertBoundedSchema(schema, all);
      const text = JSON.stringify(schema);
      const known = cache.get(text);
      if (known === undefined) return compileText(text, all, cache);
      cache.delete(text);
      cache.set(text, known);
      return known;
    },
  };
}

/** Supports 2020-12 (the default), 2019-09, draft-07 and draft-06, with {@link defaultSchemaLimits}. */
export const defaultJsonSchemaValidator: JsonSchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();

type Interpreter = typeof import("./interpreter.ts");
type Patterns = typeof import("./pattern.ts");
let interpreter: Interpreter | undefined;
let patterns: Patterns | undefined;

function compileText(text: string, limits: SchemaLimits, cache: Map<string, JsonSchemaCheck>): MaybePromise<JsonSchemaCheck> {
  const hasPattern = text.includes('"pattern"') || text.includes('"patternProperties"');
  if (interpreter === undefined || (hasPattern && patterns === undefined)) {
    return load(hasPattern).then(() => compileText(text, limits, cache));
  }
  // A copy: what the caller does to its object afterwards changes nothing here.
  const schema: unknown = JSON.parse(text);
  if (!isJsonObject(schema)) throw new InvalidSchemaError("must be an object");
  const check = interpreter.interpretSchema(
    schema,
    limits,
    hasPattern && patterns !== undefined ? new patterns.PatternSet(limits) : undefined,
  );
  if (text.length <= CACHEABLE_LENGTH) keep(cache, text, check);
  return check;
}

async function load(withPatterns: boolean): Promise<void> {
  interpreter ??= await import("./interpreter.ts");
  if (withPatterns) patterns ??= await import("./pattern.ts");
}

function keep(cache: Map<string, JsonSchemaCheck>, text: string, check: JsonSchemaCheck): void {
  cache.set(text, check);
  if (cache.size <= CACHE_ENTRIES) return;
  const [oldest] = cache.keys();
  if (oldest !== undefined) cache.delete(oldest);
}
