/**
 * A schema as a server or client uses it: published as JSON Schema, and able to validate a value.
 *
 * The JSON Schema of a Standard Schema is converted once, and its own `validate` is called directly, so that a call costs what the
 * library costs. The structure of a plain JSON Schema is checked at once; it is compiled before its first use.
 */
import { Late } from "../base/late.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import type { JsonSchemaCheck, JsonSchemaValidator } from "./json-schema-validator.ts";
import { findSchemaFault } from "./schema-structure.ts";
import {
  describeIssues,
  isStandardSchema,
  type AnySchema,
  type JsonSchema,
  type StandardSchema,
  type Validation,
} from "./standard-schema.ts";

export interface CheckOptions {
  /** The owner of the schema in errors: `input of tool "add"`. */
  readonly what: string;
  readonly validator: JsonSchemaValidator;
}

export interface CompileOptions extends CheckOptions {
  /** Whether values are input (before defaults and transforms) or output. Input must be an object at the root. */
  readonly io: "input" | "output";
}

export interface SchemaCheck {
  /**
   * Only for a plain JSON Schema: compiles it, so that the first value need not. Compiles once, and again after a failure.
   * @throws (or rejects with) the validator's error: InvalidSchemaError if a pattern or reference cannot be used,
   * LimitExceededError if the schema is too large
   */
  compile?(): MaybePromise<unknown>;
  /**
   * Validates a value; the `value` of the result is what a handler gets (after defaults and transforms). A promise only if the
   * library returns one (asynchronous refinements), or if {@link compile} was not called and returns one.
   */
  readonly validate: (value: unknown) => MaybePromise<Validation>;
}

export interface CompiledSchema extends SchemaCheck {
  /**
   * The published JSON Schema, as the user or the library wrote it. If only objects fit, its root says so, because the protocol
   * requires it there.
   */
  readonly jsonSchema: JsonObject;
  /** Present if the check depends on the request: then it is used instead of `validate`. */
  readonly validateFor?: RequestSchema["~validateFor"];
}

/** A schema whose check depends on the request, such as one with arguments that the server fills in. */
export interface RequestSchema extends StandardSchema {
  /** Validates a value for a request, whose context it gets. */
  readonly "~validateFor": (value: unknown, context: never) => MaybePromise<Validation>;
}

/**
 * Prepares a schema for use.
 * @throws TypeError if it has no JSON Schema, if a plain JSON Schema has a wrong structure, or if input is not `type: "object"`
 */
export function compileSchema(schema: AnySchema, options: CompileOptions): CompiledSchema {
  if (!isStandardSchema(schema)) return new PlainSchema(published(validStructure(schema, options), options), schema, options.validator);
  const { "~standard": standard } = schema;
  const compiled = { jsonSchema: published(convert(schema, options), options), validate: (value: unknown) => standard.validate(value) };
  const { "~validateFor": validateFor } = schema as Partial<RequestSchema>;
  return validateFor === undefined ? compiled : { ...compiled, validateFor };
}

/**
 * Prepares a schema that is not published: a library needs no converter to JSON Schema.
 * @throws TypeError if it is no schema, or a plain JSON Schema with a wrong structure
 */
export function compileCheck(schema: AnySchema, options: CheckOptions): SchemaCheck {
  if (!isStandardSchema(schema)) return new PlainSchema(validStructure(schema, options), schema, options.validator);
  const { "~standard": standard } = schema;
  return { validate: (value) => standard.validate(value) };
}

/** The JSON Schema that clients see. @throws TypeError if it is for input and accepts more than objects */
function published(jsonSchema: JsonObject, options: CompileOptions): JsonObject {
  if (jsonSchema["type"] === undefined && acceptsObjectsOnly(jsonSchema)) return { type: "object", ...jsonSchema };
  if (options.io === "output" || jsonSchema["type"] === "object") return jsonSchema;
  throw new TypeError(`The ${options.what} must be an object schema: its JSON Schema needs "type": "object" at the root`);
}

/** How deep nested unions and chains of references are followed. */
const MAX_DEPTH = 8;

export function acceptsObjectsOnly(schema: JsonObject): boolean {
  return isOfObjects(schema, schema["$defs"], 0);
}

/** Whether a part of a schema accepts only objects: unions and intersections of objects do not say so at their root. */
function isOfObjects(schema: unknown, definitions: unknown, depth: number): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return false;
  const { type, oneOf, anyOf, allOf, $ref } = schema;
  if (type !== undefined) return type === "object";
  const isObjects = (branch: unknown): boolean => isOfObjects(branch, definitions, depth + 1);
  if ([oneOf, anyOf].some((union) => Array.isArray(union) && union.length > 0 && union.every(isObjects))) return true;
  if (Array.isArray(allOf) && allOf.some(isObjects)) return true;
  const name = /^#\/\$defs\/(.*)/s.exec(String($ref))?.[1];
  return name !== undefined && isJsonObject(definitions) && Object.hasOwn(definitions, name) && isObjects(definitions[name]);
}

/** The target of a reference at the root, which zod writes for a schema with an id: hosts and models look for `properties` there. */
export function withOwnRoot(schema: JsonObject): JsonObject {
  const { $ref, $defs, ...rest } = schema;
  const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : "";
  if (!isJsonObject($defs) || !isJsonObject($defs[name])) return schema;
  const { [name]: target, ...others } = $defs;
  const left = JSON.stringify($defs).includes(JSON.stringify($ref)) ? $defs : others;
  return { ...(target as JsonObject), ...rest, ...(Object.keys(left).length > 0 && { $defs: left }) }; // checked above
}

const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** What lets the schemas of a library produce their JSON Schema, by its name in Standard Schema. */
const CONVERTERS: Readonly<Record<string, string>> = {
  valibot: "wrap it in toStandardJsonSchema() of @valibot/to-json-schema",
  zod: 'use zod 4.2 or newer (npm install zod@latest), imported from "zod"',
};

function convert(schema: StandardSchema, { io, what }: CompileOptions): JsonObject {
  const { jsonSchema: converter, vendor } = schema["~standard"];
  if (converter === undefined) {
    const advice = Object.hasOwn(CONVERTERS, vendor) ? `${CONVERTERS[vendor]}, or ` : "";
    throw new TypeError(
      `The ${what} is a ${vendor} schema that cannot produce its JSON Schema: ${advice}pass withJsonSchema(schema, jsonSchema)`,
    );
  }
  try {
    const { $schema, ...jsonSchema } = withOwnRoot(converter[io]({ target: "draft-2020-12" }));
    // MCP's schemas are of 2020-12 unless they say otherwise. Saying it costs tokens, and hosts with other validators refuse it.
    return $schema === undefined || $schema === DEFAULT_DIALECT ? jsonSchema : { $schema, ...jsonSchema };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`The ${what} cannot be converted to JSON Schema (${reason}): pass withJsonSchema(schema, jsonSchema)`, { cause });
  }
}

function validStructure(schema: JsonSchema, { what }: CheckOptions): JsonObject {
  if (!isJsonObject(schema)) throw new TypeError(`The ${what} must be a Standard Schema or a JSON Schema object`);
  const member = Object.keys(schema).find((key) => isStandardSchema(schema[key] as AnySchema));
  if (member !== undefined) throw new TypeError(`The ${what} is an object of schemas: wrap it in z.object({ ${member}: … })`);
  const fault = findSchemaFault(schema);
  if (fault !== undefined) throw new TypeError(`The ${what} is not a valid JSON Schema: ${describeIssues([fault])}`);
  return schema;
}

/** A plain JSON Schema. Once it is compiled, the validator's own check is called directly. */
class PlainSchema implements CompiledSchema {
  readonly jsonSchema: JsonObject;
  validate: CompiledSchema["validate"] = (value) => andThen(this.#check.get(), (check) => check(value));
  readonly #check: Late<JsonSchemaCheck>;

  constructor(jsonSchema: JsonObject, schema: JsonSchema, validator: JsonSchemaValidator) {
    this.jsonSchema = jsonSchema;
    this.#check = new Late(() => validator.compile(schema));
  }

  compile(): MaybePromise<unknown> {
    return andThen(this.#check.get(), (check) => (this.validate = check));
  }
}
