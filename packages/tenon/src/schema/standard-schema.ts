/**
 * The schemas that Tenon accepts: any library with Standard Schema, or plain JSON Schema, and the types they infer.
 *
 * The interfaces are declared here, so that neither the package nor its users need a schema library or the specification's own
 * package. A type test compares them with `@standard-schema/spec`.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { FromJsonSchema } from "./from-json-schema.ts";

/** One fault of a value. */
export interface SchemaIssue {
  /** What is wrong, for people and models. */
  readonly message: string;
  /** Its path, from the outside in. Absent or empty: the value itself. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The outcome of a validation: without `issues` the value is valid, and is `value`. It has the shape of Standard Schema's result,
 * which is passed on unchanged.
 */
export type Validation<T = unknown> = { readonly value: T; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

/** What a Standard Schema (v1) has in `~standard`. */
export interface StandardProps<Input = unknown, Output = Input> {
  /** The version of Standard Schema. */
  readonly version: 1;
  /** The library's name. */
  readonly vendor: string;
  /** For the compiler only: never present. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  /** Validates a value, and returns the schema's output. May be asynchronous. */
  readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
  /** Present if the library implements Standard JSON Schema too. */
  readonly jsonSchema?: JsonSchemaConverter | undefined;
}

/** Standard JSON Schema: the schemas of input and output. May throw if there is none. */
export interface JsonSchemaConverter {
  /** The schema of input values, before defaults and transforms. */
  readonly input: (options: { readonly target: "draft-2020-12" }) => JsonObject;
  /** The schema of output values. */
  readonly output: (options: { readonly target: "draft-2020-12" }) => JsonObject;
}

/** A schema of zod, valibot, arktype, effect or any other library that implements Standard Schema v1. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The library's implementation: the one member that Standard Schema requires. */
  readonly "~standard": StandardProps<Input, Output>;
}

/** A JSON Schema object. `$schema` names its dialect; default 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Any schema that the API accepts. */
export type AnySchema = StandardSchema | JsonSchema;

/**
 * Options whose schemas are whole. A raw shape, `{ a: z.number() }`, does not compile, and the compiler's error says what to do: any
 * object is a JSON Schema otherwise, and one without keywords checks nothing.
 */
export type WholeSchemas<Schemas> = { readonly [Option in keyof Schemas]?: WholeSchema<Schemas[Option]> };

/** Anything if `S` is a schema, or a text that says what to do if it is a raw shape. */
type WholeSchema<S> = S extends StandardSchema
  ? unknown
  : [Extract<S[keyof S], StandardSchema>] extends [never]
    ? unknown
    : "Wrap these members in z.object({ … }), or in the object schema of your library";

/** The type that a caller has to supply. For a JSON Schema written `as const` it is derived from the keywords; else `unknown`. */
export type InferInput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly input: infer I }
    ? I
    : unknown
  : FromJsonSchema<S>;

/** The type that a handler gets: after defaults and transforms of the schema. */
export type InferOutput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : FromJsonSchema<S>;

export function isStandardSchema(schema: AnySchema): schema is StandardSchema {
  return (schema as Partial<StandardSchema> | null)?.["~standard"] !== undefined; // JavaScript may pass anything
}

/**
 * Adds a JSON Schema to a Standard Schema that cannot produce it: for libraries without a converter, and for types (transforms,
 * refinements) whose converter throws.
 *
 * @param input  the published schema of input values
 * @param output the published schema of output values; default: `input`
 */
export function withJsonSchema<S extends StandardSchema>(
  schema: S,
  input: JsonSchema,
  output: JsonSchema = input,
): StandardSchema<InferInput<S>, InferOutput<S>> {
  const standard = schema["~standard"] as StandardProps<InferInput<S>, InferOutput<S>>; // the same types, spelled by inference
  return {
    "~standard": {
      version: 1,
      vendor: standard.vendor,
      validate: (value) => standard.validate(value),
      jsonSchema: { input: () => input, output: () => output },
    },
  };
}

/** Issues in one line, for the model or an operator: `a.b[0]: must be a number; c: is required`. At most `max` of them. */
export function describeIssues(issues: readonly SchemaIssue[], max = 8): string {
  const lines = issues.slice(0, max).map((issue) => {
    const path = describePath(issue);
    // Some libraries begin the message with the path: "city must be at least length 2".
    return path === "" || issue.message.startsWith(`${path} `) ? issue.message : `${path}: ${issue.message}`;
  });
  if (issues.length > max) lines.push(`and ${issues.length - max} more`);
  return lines.join("; ");
}

/** The path of an issue as in code: `a.b[0]`. Empty for the value itself. */
export function describePath(issue: SchemaIssue): string {
  let text = "";
  for (const segment of issue.path ?? []) {
    const key = typeof segment === "object" ? segment.key : segment;
    if (typeof key === "number") text += `[${key}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text;
}
