/**
 * The validator for plain JSON Schemas, of a peer or of the user: the interface, and the default.
 *
 * The engine of the default is loaded with the first schema that it compiles. From then on compiling is synchronous.
 */
import { Late } from "../base/late.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { SchemaEngine } from "./schema-engine.ts";
import type { SchemaLimits } from "./schema-limits.ts";
import type { JsonSchema, Validation } from "./standard-schema.ts";

/** Validates a value and never changes it. Throws LimitExceededError if that needs too much work. */
export type JsonSchemaCheck = (value: unknown) => Validation;

/** Compiles JSON Schemas. An implementation decides on dialects and limits. Security: it must never fetch a `$ref`. */
export interface JsonSchemaValidator {
  /**
   * Compiles a schema to a check, at once or as a promise.
   * @throws InvalidSchemaError if a schema cannot be used, or rejects with it
   * @throws LimitExceededError if it is too large
   */
  compile(schema: JsonSchema): MaybePromise<JsonSchemaCheck>;
}

const engines: Late<typeof import("./schema-engine.ts")> = /* @__PURE__ */ new Late(() => import("./schema-engine.ts"));

/** The default validator with other limits. It has its own cache. */
export function createJsonSchemaValidator(limits: Partial<SchemaLimits> = {}): JsonSchemaValidator {
  let engine: SchemaEngine | undefined;
  return {
    compile: (schema) => andThen(engines.get(), ({ SchemaEngine: Engine }) => (engine ??= new Engine(limits)).compile(schema)),
  };
}

/** Supports 2020-12 (the default), 2019-09, draft-07 and draft-06, with the limits of `schema-limits.ts`. */
export const defaultJsonSchemaValidator: JsonSchemaValidator = /* @__PURE__ */ createJsonSchemaValidator();
