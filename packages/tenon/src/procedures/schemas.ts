/**
 * The JSON Schemas of a procedure, and the arguments of a call as its own schemas take them.
 *
 * Nothing is validated here: the router validates its input and its output itself, once. What JSON cannot say is written by the rules of
 * `tenon/openapi`: a date is text in ISO 8601, an integer beyond 2^53 is decimal text, a file is base64 with its type.
 */
import { fromBase64 } from "../base/bytes.ts";
import { NumberText } from "../jsonrpc/exact-numbers.ts";
import { isJsonObject, type JsonObject } from "../jsonrpc/message.ts";
import { withArgumentNames } from "../openapi/schema/argument-names.ts";
import { writtenOut } from "../openapi/schema/written-out.ts";
import { acceptsObjectsOnly, withOwnRoot } from "../schema/compile.ts";
import { isStandardSchema, type AnySchema, type StandardSchema } from "../schema/standard-schema.ts";

/** Makes the JSON Schema of a schema that has no converter, such as one of zod 3. Undefined: there is no schema. */
export type ToJsonSchema = (schema: unknown, io: "input" | "output") => JsonObject | undefined;

/** How a value that JSON does not have is marked in a schema, before the schema is published. */
const MARK = "~value";
const FILE: JsonObject = {
  type: "object",
  properties: { data: { type: "string", description: "base64" }, filename: { type: "string" }, mimeType: { type: "string" } },
  required: ["data"],
};
/** By the names that zod gives to its types. */
const KINDS: ReadonlyMap<unknown, JsonObject> = new Map([
  ["date", { type: "string", format: "date-time", [MARK]: "date" }],
  ["bigint", { type: ["integer", "string"], pattern: "^-?[0-9]+$", [MARK]: "bigint" }],
  ["file", { ...FILE, [MARK]: "file" }],
]);

interface Overridden {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string } } };
  readonly jsonSchema: JsonObject;
}

/** Options of zod's converter; other libraries ignore them. Types that only the output has are left open; an input must be whole. */
function zodOptions(io: "input" | "output"): JsonObject {
  return {
    unrepresentable: ({ zodSchema }: Overridden) => (io === "output" || isKnown(zodSchema) ? "any" : "throw"),
    override: ({ zodSchema, jsonSchema }: Overridden) => {
      const kind = KINDS.get(zodSchema._zod.def.type);
      if (kind === undefined) return;
      for (const key of Object.keys(jsonSchema)) if (key !== "description" && key !== "title") delete jsonSchema[key];
      Object.assign(jsonSchema, kind);
    },
  };
}

function isKnown({ _zod }: Overridden["zodSchema"]): boolean {
  return KINDS.has(_zod.def.type) || ["undefined", "void"].includes(_zod.def.type);
}

/** @throws TypeError with the reason if the schema cannot be converted */
function toJson(schema: AnySchema, io: "input" | "output", custom: ToJsonSchema | undefined): JsonObject {
  const own = custom?.(schema, io);
  if (own !== undefined) return own;
  if (!isStandardSchema(schema)) {
    if (typeof schema === "object" && "type" in schema && typeof schema.type === "string") return schema;
    throw new TypeError('its schema cannot produce a JSON Schema: option "toJsonSchema" can');
  }
  const { jsonSchema: converter, vendor } = schema["~standard"];
  if (converter === undefined) throw new TypeError(`its ${vendor} schema cannot produce a JSON Schema: option "toJsonSchema" can`);
  try {
    const options = { target: "draft-2020-12", libraryOptions: zodOptions(io) } as const;
    const { $schema: _, ...json } = withOwnRoot(converter[io](options));
    return json;
  } catch (cause) {
    throw new TypeError(
      `its schema cannot be converted (${cause instanceof Error ? cause.message : String(cause)}): option "toJsonSchema" can`,
      {
        cause,
      },
    );
  }
}

/** The JSON Schema of one schema of a router, without marks. @throws TypeError with the reason if it cannot be converted */
export function jsonSchemaOf(schema: AnySchema, io: "input" | "output", custom: ToJsonSchema | undefined): JsonObject {
  return withoutMarks(toJson(schema, io, custom)) as JsonObject; // a schema stays an object
}

export interface InputPlan {
  readonly schema: StandardSchema<JsonObject, unknown>;
  toInput(args: JsonObject): unknown;
}

/** @throws TypeError with the reason if a schema cannot be converted */
export function planInput(inputs: readonly AnySchema[], custom: ToJsonSchema | undefined): InputPlan {
  if (inputs.length === 0) return unchecked({ type: "object", properties: {} }, () => undefined);
  const schemas = inputs.map((each) => toJson(each, "input", custom));
  const schema = schemas.length === 1 ? schemas[0]! : merged(schemas);
  const isOptional = inputs.every(acceptsUndefined);
  const whole = isOptional ? optionalObject(schema) : schema;
  const isObject = isObjectSchema(whole);
  const { $defs, ...inner } = whole;
  const wrapped = {
    type: "object",
    properties: { input: inner },
    ...(!isOptional && { required: ["input"] }),
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
  const named = withArgumentNames(writtenOut(isObject ? whole : wrapped), { scalar: toScalar, object: toFile });
  const toInput = (args: JsonObject): unknown => {
    if (isOptional && Object.keys(args).length === 0) return undefined;
    const restored = named.restore(args);
    return isObject ? restored : restored["input"];
  };
  return unchecked(withoutMarks(named.schema) as JsonObject, toInput, isObject ? pass : inputOnly);
}

function isObjectSchema(schema: JsonObject): boolean {
  return schema["type"] === "object" || (schema["type"] === undefined && acceptsObjectsOnly(schema));
}

/** The object of an input that may be left out, or null: no argument is required, because a call without any leaves it out. */
function optionalObject(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  const parts = Array.isArray(anyOf) ? anyOf.filter((part) => isJsonObject(part) && part["type"] !== "null") : [];
  const object: JsonObject = parts.length === 1 ? { ...rest, ...(parts[0] as JsonObject) } : schema; // checked above
  const { required: _, ...optional } = object;
  return isObjectSchema(object) ? optional : schema;
}

type Validate = StandardSchema<JsonObject, unknown>["~standard"]["validate"];
const pass: Validate = (value) => ({ value });

/** Refuses arguments beside the only one: they would be lost, and the router would not miss them. */
const inputOnly: Validate = (value) => {
  const stray = isJsonObject(value) ? Object.keys(value).find((name) => name !== "input") : undefined;
  return stray === undefined ? { value } : { issues: [{ message: `must not have a property ${JSON.stringify(stray)}, only "input"` }] };
};

/** A schema that publishes a JSON Schema. Without `validate` it lets every object through: the router checks it. */
function unchecked(jsonSchema: JsonObject, toInput: (args: JsonObject) => unknown, validate: Validate = pass): InputPlan {
  const json = (): JsonObject => jsonSchema;
  return { schema: { "~standard": { version: 1, vendor: "tenon", validate, jsonSchema: { input: json, output: json } } }, toInput };
}

/** One schema for an input that several object schemas check. */
function merged(schemas: readonly JsonObject[]): JsonObject {
  const member = (name: string): JsonObject => Object.assign({}, ...schemas.map((each) => each[name])) as JsonObject; // objects of JSON Schemas
  const required = [...new Set(schemas.flatMap((each) => (Array.isArray(each["required"]) ? each["required"] : [])))];
  const $defs = member("$defs");
  return { type: "object", properties: member("properties"), required, ...(Object.keys($defs).length > 0 && { $defs }) };
}

function acceptsUndefined(schema: AnySchema): boolean {
  if (!isStandardSchema(schema)) return false;
  try {
    const checked = schema["~standard"].validate(undefined);
    return "issues" in checked ? checked.issues === undefined : !(checked instanceof Promise);
  } catch {
    return false; // an asynchronous schema: its input is required
  }
}

/** The output schema of a tool: an object itself, anything else as the member `result`. Undefined if the schema says nothing. */
export function planOutput(output: AnySchema | undefined, custom: ToJsonSchema | undefined): OutputPlan | undefined {
  if (output === undefined) return undefined;
  const whole = jsonSchemaOf(output, "output", custom);
  if (Object.keys(whole).length === 0 || whole["type"] === "string") return undefined;
  if (isObjectSchema(whole)) return { schema: unchecked(whole, () => undefined).schema, isWrapped: false };
  const { $defs, ...result } = whole;
  const wrapped = { type: "object", properties: { result }, required: ["result"], ...($defs !== undefined && { $defs }) };
  return { schema: unchecked(wrapped, () => undefined).schema, isWrapped: true };
}

export interface OutputPlan {
  readonly schema: StandardSchema<JsonObject, unknown>;
  /** Whether the output is the member `result` of the data. */
  readonly isWrapped: boolean;
}

function withoutMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMarks);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, each]) => (key === MARK ? [] : [[key, withoutMarks(each)]])));
}

function toScalar(value: unknown, schema: JsonObject): unknown {
  if (schema[MARK] === "date" && typeof value === "string" && !Number.isNaN(Date.parse(value))) return new Date(value);
  const isWhole = typeof value === "number" ? Number.isSafeInteger(value) : typeof value === "string" && /^-?\d+$/.test(value);
  return schema[MARK] === "bigint" && isWhole ? BigInt(value as number | string) : exact(value, schema);
}

/** An integer with all its digits, if the client wrote more than a number holds. */
function exact(value: unknown, schema: JsonObject): unknown {
  return schema[MARK] === "bigint" && value instanceof NumberText ? BigInt(value.text) : value;
}

function toFile(value: JsonObject, schemas: readonly JsonObject[]): unknown {
  if (!schemas.some((schema) => schema[MARK] === "file")) return undefined;
  const bytes = typeof value["data"] === "string" ? fromBase64(value["data"]) : undefined;
  if (bytes === undefined) return undefined; // the router says what is wrong with it
  const [filename, type] = [value["filename"], value["mimeType"]];
  return new File([bytes], typeof filename === "string" ? filename : "file", typeof type === "string" ? { type } : {});
}
