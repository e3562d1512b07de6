/** Type tests: what schemas infer, and that our interfaces are those of the Standard Schema specification. */
import { type } from "arktype";
import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import * as z from "zod";
import type { AnySchema, InferInput, InferOutput, JsonSchema, StandardSchema } from "../../src/schema/standard-schema.ts";
import { withJsonSchema } from "../../src/schema/standard-schema.ts";

/** How the API takes schemas: `const` makes `as const` unnecessary at the call. */
declare function input<const S extends AnySchema>(schema: S): InferInput<S>;
declare function output<const S extends AnySchema>(schema: S): InferOutput<S>;

// The specification's types and ours are interchangeable.
expectTypeOf<StandardSchemaV1<string, number>>().toExtend<StandardSchema<string, number>>();
expectTypeOf<StandardSchema<string, number>>().toExtend<StandardSchemaV1<string, number>>();
expectTypeOf<StandardSchemaV1<string, number> & StandardJSONSchemaV1<string, number>>().toExtend<
  StandardSchema<string, number>
>();

// Libraries.
const zod = z.object({ a: z.string().transform(Number), b: z.number().default(1) });
expectTypeOf(input(zod)).toEqualTypeOf<{ a: string; b?: number | undefined }>();
expectTypeOf(output(zod)).toEqualTypeOf<{ a: number; b: number }>();
expectTypeOf(output(v.object({ a: v.string(), b: v.optional(v.number()) }))).toEqualTypeOf<{
  a: string;
  b?: number | undefined;
}>();
expectTypeOf(output(type({ a: "string", "b?": "number" }))).toEqualTypeOf<{ a: string; b?: number }>();
expectTypeOf(output(withJsonSchema(zod, { type: "object" }))).toEqualTypeOf<{ a: number; b: number }>();
expectTypeOf(input(withJsonSchema(zod, { type: "object" }))).toEqualTypeOf<{ a: string; b?: number | undefined }>();

// Plain JSON Schema.
expectTypeOf(
  output({ type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a"] }),
).toEqualTypeOf<{
  a: number;
  b?: string;
}>();
expectTypeOf(output({ type: "string" })).toEqualTypeOf<string>();
expectTypeOf(output({ type: "integer" })).toEqualTypeOf<number>();
expectTypeOf(output({ type: ["string", "null"] })).toEqualTypeOf<string | null>();
expectTypeOf(output({ type: "array", items: { type: "boolean" } })).toEqualTypeOf<boolean[]>();
expectTypeOf(output({ type: "array", prefixItems: [{ type: "string" }], items: { type: "number" } })).toEqualTypeOf<unknown[]>();
expectTypeOf(output({ enum: ["a", "b", 3, null] })).toEqualTypeOf<"a" | "b" | 3 | null>();
expectTypeOf(output({ const: { a: [1] } })).toEqualTypeOf<{ a: [1] }>();
expectTypeOf(
  output({ anyOf: [{ type: "string" }, { type: "object", properties: { n: { type: "null" } }, required: ["n"] }] }),
).toEqualTypeOf<string | { n: null }>();
expectTypeOf(output({ oneOf: [{ const: 1 }, { const: 2 }] })).toEqualTypeOf<1 | 2>();
expectTypeOf(output({ type: "object" })).toEqualTypeOf<{ [key: string]: unknown }>();
expectTypeOf(output({ type: "object", additionalProperties: { type: "number" } })).toEqualTypeOf<{ [key: string]: number }>();
expectTypeOf(
  output({
    type: "object",
    properties: { list: { type: "array", items: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } } },
  }),
).toEqualTypeOf<{ list?: { id: string }[] }>();
// A type that says what to expect is more than the branches beside it.
expectTypeOf(output({ type: "object", properties: { a: { type: "number" } }, anyOf: [{ required: ["a"] }] })).toEqualTypeOf<{
  a?: number;
}>();
// What is not understood is unknown, never something narrower.
expectTypeOf(output({ $ref: "#/$defs/a" })).toEqualTypeOf<unknown>();
expectTypeOf(output({ allOf: [{ type: "string" }] })).toEqualTypeOf<unknown>();
declare const wide: JsonSchema;
expectTypeOf(output(wide)).toEqualTypeOf<unknown>();
