/**
 * The validator for plain JSON Schemas, a peer's or the user's own: the interface, and the default.
 *
 * The engine behind the default is loaded with the first schema that it compiles. From then on compiling is synchronous.
 */
import { Late } from "../base/late.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { SchemaEngine } from "./schema-engine.ts";
import type { SchemaLimits } from "./schema-limits.ts";
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

const engines: Late<typeof import("./schema-engine.ts")> = /* @__PURE__ */ new Late(() => import("./schema-engine.ts"));

/** The default validator with limits of its own. Its cache is its own too. */
export function createJsonSchemaValidator(limits: Partial<SchemaLimits> = {}): JsonSchemaValidator {
  let engine: SchemaEngine | undefined;
  return {
    compile: (schema) => andThen(engines.get(), ({ SchemaEngine: Engine }) => (engine ??= new Engine(limits)).compile(schema)),
  };
}

/** Supports 2020-12 (the default), 2019-09, draft-07 and draft-06, with the limits of `schema-limits.ts`. */
export const defaultJsonSchemaValidator: JsonSchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();
