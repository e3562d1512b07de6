/**
 * The validator for plain JSON Schemas, a peer's or the user's own: the interface, and the default behind it.
 *
 * The default is bounds, a cache, and the interpreter. A compiled schema is found again by its content, never by its `$id`, so
 * two versions of a schema cannot be mixed up. The engine for regular expressions is loaded with the first `pattern`.
 */
import { Late } from "../base/late.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { interpretSchema } from "./interpreter.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import type { PatternSet } from "./pattern.ts";
import { assertBoundedSchema, defaultSchemaLimits, type SchemaLimits } from "./schema-limits.ts";
import type { JsonSchema, Validation } from "./standard-schema.ts";

/** Decides whether a value fits. Never changes it. Throws LimitExceededError where that would be too much work. */
export type JsonSchemaCheck = (value: unknown) => Validation;

/** What runs JSON Schemas. Whoever implements it decides on dialects and limits, and must never fetch a `$ref`. */
export interface JsonSchemaValidator {
  /**
   * Makes a check of a schema, at once or as a promise.
   * @throws InvalidSchemaError for a schema that cannot be used, or rejects with it
   * @throws LimitExceededError for one that is too large
   */
  compile(schema: JsonSchema): MaybePromise<JsonSchemaCheck>;
}

/** The default validator with limits of its own. Its cache is its own too. */
export function createJsonSchemaValidator(limits: Partial<SchemaLimits> = {}): JsonSchemaValidator {
  return new InterpretingValidator({ ...defaultSchemaLimits, ...limits });
}

/** Compiled schemas kept; the least recently used goes first. */
const CACHE_ENTRIES = 256;
/** Longer schemas, in UTF-16 code units of JSON, are compiled each time, so that the cache stays under 32 MiB. */
const CACHEABLE_LENGTH = 65_536;

const patterns: Late<typeof import("./pattern.ts")> = /* @__PURE__ */ new Late(() => import("./pattern.ts"));

class InterpretingValidator implements JsonSchemaValidator {
  readonly #limits: SchemaLimits;
  readonly #cache = new Map<string, JsonSchemaCheck>();

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
  }

  /** A promise only while the engine for patterns is loaded. */
  compile(schema: JsonSchema): MaybePromise<JsonSchemaCheck> {
    assertBoundedSchema(schema, this.#limits);
    const text = JSON.stringify(schema);
    const known = this.#cache.get(text);
    if (known !== undefined) {
      this.#cache.delete(text);
      this.#cache.set(text, known);
      return known;
    }
    if (!text.includes('"pattern"') && !text.includes('"patternProperties"')) return this.#interpret(text);
    return andThen(patterns.get(), ({ PatternSet: Patterns }) => this.#interpret(text, new Patterns(this.#limits)));
  }

  #interpret(text: string, patternSet?: PatternSet): JsonSchemaCheck {
    // A copy: what the caller does to its object afterwards changes nothing here.
    const schema: unknown = JSON.parse(text);
    if (!isJsonObject(schema)) throw new InvalidSchemaError("must be an object");
    const check = interpretSchema(schema, this.#limits, patternSet);
    if (text.length <= CACHEABLE_LENGTH) this.#keep(text, check);
    return check;
  }

  #keep(text: string, check: JsonSchemaCheck): void {
    this.#cache.set(text, check);
    if (this.#cache.size <= CACHE_ENTRIES) return;
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined) this.#cache.delete(oldest);
  }
}

/** Supports 2020-12 (the default), 2019-09, draft-07 and draft-06, with the limits of `schema-limits.ts`. */
export const defaultJsonSchemaValidator: JsonSchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();
