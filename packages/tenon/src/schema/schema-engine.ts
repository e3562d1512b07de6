/**
 * The default validator for plain JSON Schemas: limits, a cache, and the interpreter.
 *
 * The cache finds a compiled schema by its content, never by its `$id`, so two versions of a schema cannot be confused. The engine
 * for regular expressions is loaded with the first `pattern`.
 */
import { BoundedMap } from "../base/bounds/bounded-map.ts";
import { Late } from "../base/late.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { interpretSchema } from "./interpreter.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import type { PatternSet } from "./pattern.ts";
import { assertBoundedSchema, defaultSchemaLimits, type SchemaLimits } from "./schema-limits.ts";
import type { JsonSchema } from "./standard-schema.ts";

/** Compiled schemas in the cache; the least recently used is evicted. */
const CACHE_ENTRIES = 256;
/** Longer schemas, in UTF-16 code units of JSON, are compiled each time, so that the cache stays under 32 MiB. */
const CACHEABLE_LENGTH = 65_536;

const patterns = new Late(() => import("./pattern.ts"));

type SchemaCheck = ReturnType<typeof interpretSchema>;

export class SchemaEngine {
  readonly #limits: SchemaLimits;
  readonly #cache = new BoundedMap<string, SchemaCheck>(CACHE_ENTRIES);

  constructor(limits: Partial<SchemaLimits>) {
    this.#limits = { ...defaultSchemaLimits, ...limits };
  }

  /** A promise only while the engine for patterns is loading. */
  compile(schema: JsonSchema): MaybePromise<SchemaCheck> {
    assertBoundedSchema(schema, this.#limits);
    const text = JSON.stringify(schema);
    const known = this.#cache.get(text);
    if (known !== undefined) {
      this.#cache.set(text, known); // the newest again
      return known;
    }
    if (!text.includes('"pattern"') && !text.includes('"patternProperties"')) return this.#interpret(text);
    return andThen(patterns.get(), ({ PatternSet: Patterns }) => this.#interpret(text, new Patterns(this.#limits)));
  }

  #interpret(text: string, patternSet?: PatternSet): SchemaCheck {
    // A copy: the caller may change its object afterwards.
    const schema: unknown = JSON.parse(text);
    if (!isJsonObject(schema)) throw new InvalidSchemaError("must be an object");
    const check = interpretSchema(schema, this.#limits, patternSet);
    if (text.length <= CACHEABLE_LENGTH) this.#cache.set(text, check);
    return check;
  }
}
