import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isPromise } from "../base/maybe-promise.ts";
import { compileSchema, type CompileOptions } from "./compile.ts";
import { defaultJsonSchemaValidator } from "./json-schema-validator.ts";
import { describeIssues, describePath, withJsonSchema, type StandardSchema, type Validation } from "./standard-schema.ts";

const input: CompileOptions = { io: "input", what: 'input of tool "add"', validator: defaultJsonSchemaValidator };
const output: CompileOptions = { io: "output", what: 'output of tool "add"', validator: defaultJsonSchemaValidator };
const sums = z.object({ a: z.number(), b: z.number().default(1) });

describe("the JSON Schema that is published [A8.4]", () => {
  it("is the library's, of what goes in and of what comes out", () => {
    const { $schema, ...converted } = sums["~standard"].jsonSchema.input({ target: "draft-2020-12" });
    expect($schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(compileSchema(sums, input).jsonSchema).toEqual(converted); // 2020-12 needs no name
    expect(compileSchema(sums, output).jsonSchema).toMatchObject({ required: ["a", "b"] });
    expect(compileSchema(type({ a: "number" }), input).jsonSchema).toMatchObject({ type: "object", required: ["a"] });
  });

  it("has its members at the root if it has a name, where hosts look for them", () => {
    const City = z.object({ name: z.string() }).meta({ id: "City" });
    expect(compileSchema(City, input).jsonSchema).toEqual({
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
    });
    const Trip = z.object({ to: City }).meta({ id: "Trip", description: "A trip" });
    expect(compileSchema(Trip, input).jsonSchema).toEqual({
      description: "A trip",
      type: "object",
      properties: { to: { $ref: "#/$defs/City" } },
      required: ["to"],
      $defs: { City: compileSchema(City, input).jsonSchema },
    });
    const Tree: z.ZodType = z.object({ trees: z.array(z.lazy(() => Tree)) }).meta({ id: "Tree" });
    const properties = { trees: { type: "array", items: { $ref: "#/$defs/Tree" } } };
    const whole = { type: "object", properties, required: ["trees"] };
    expect(compileSchema(Tree, input).jsonSchema).toEqual({ ...whole, $defs: { Tree: whole } });
  });

  it("is converted once", () => {
    let conversions = 0;
    const convert = (): { type: string } => (conversions++, { type: "object" });
    const schema: StandardSchema = {
      "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }), jsonSchema: { input: convert, output: convert } },
    };
    const compiled = compileSchema(schema, input);
    for (let i = 0; i < 3; i++) void compiled.validate(compiled.jsonSchema);
    expect(conversions).toBe(1);
  });

  it("names the dialect of a library that converts to another one [FD-08]", () => {
    const convert = (): object => ({ $schema: "http://json-schema.org/draft-07/schema#", type: "object" });
    const schema = {
      "~standard": {
        version: 1,
        vendor: "x",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: convert, output: convert },
      },
    };
    expect(compileSchema(schema as StandardSchema, input).jsonSchema).toEqual(convert());
  });

  it("is the user's own object, with everything in it", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "http://x.example/s",
      $anchor: "a",
      $defs: { d: { const: 1 } },
      type: "object",
      properties: { a: { $ref: "#/$defs/d" } },
      if: {},
      then: {},
      else: {},
      allOf: [{}],
      not: { required: ["z"] },
      dependentRequired: { a: ["b"] },
      "x-own": { kept: true },
    };
    const before = JSON.stringify(schema);
    const compiled = compileSchema(schema, input);
    void compiled.validate({});
    expect(compiled.jsonSchema).toBe(schema);
    expect(JSON.stringify(schema)).toBe(before);
  });
});

describe("what cannot be published is refused at registration, with what to do", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "a library without a converter",
      () => compileSchema(v.object({ a: v.number() }), input),
      /input of tool "add" is a valibot schema .* toStandardJsonSchema\(\).*withJsonSchema/,
    ],
    [
      "a type without JSON Schema",
      () => compileSchema(z.object({ at: z.date() }), input),
      /input of tool "add" cannot be converted.*withJsonSchema/,
    ],
    ["input that is a string [A8.5]", () => compileSchema(z.string(), input), /input of tool "add" must be an object schema/],
    ["JSON Schema without a type [A8.5]", () => compileSchema({ properties: {} }, input), /"type": "object"/],
    ["null [A8.5]", () => compileSchema(null as never, input), /must be a Standard Schema or a JSON Schema object/],
    ["an array", () => compileSchema([] as never, output), /or a JSON Schema object/],
    [
      "a wrong structure",
      () => compileSchema({ properties: [] }, output),
      /output of tool "add" is not a valid JSON Schema: properties: /,
    ],
  ])("%s", (_title, compile, message) => {
    expect(compile).toThrow(TypeError);
    expect(compile).toThrow(message);
  });

  it("a Standard Schema is its library's business: the JSON Schema that it gives is not judged", () => {
    expect("compile" in compileSchema(withJsonSchema(sums, { type: "object", required: "a" }), input)).toBe(false);
  });

  it("output may be anything", () => {
    expect(compileSchema(z.array(z.string()), output).jsonSchema).toMatchObject({ type: "array" });
    expect(compileSchema({}, output).jsonSchema).toEqual({});
  });
});

describe("judging values", () => {
  it("a handler gets what the library made of them", () => {
    const compiled = compileSchema(sums, input);
    expect(compiled.validate({ a: 1 })).toEqual({ value: { a: 1, b: 1 } });
    expect(compileSchema(type({ a: "string.numeric.parse" }), { ...output, io: "input" }).validate({ a: "7" })).toEqual({
      value: { a: 7 },
    });
  });

  it("the verdict is the library's own object: nothing is copied on the way", () => {
    const verdict: Validation = { value: 1 };
    const schema: StandardSchema = { "~standard": { version: 1, vendor: "x", validate: () => verdict } };
    expect(compileSchema(withJsonSchema(schema, { type: "object" }), input).validate(0)).toBe(verdict);
  });

  it.each([
    ["zod", sums, /^a: .*number/],
    ["arktype", type({ a: "number" }), /^a must be a number \(was a string\)$/],
    ["valibot", withJsonSchema(v.object({ a: v.number() }), { type: "object" }), /^a: .*number/i],
    ["JSON Schema", { type: "object", properties: { a: { type: "number" } } }, /^a: must be number/],
  ] as const)("%s says what is wrong and where", async (_name, schema, expected) => {
    const verdict = await compileSchema(schema, input).validate({ a: "x" });
    expect(describeIssues(verdict.issues ?? [])).toMatch(expected);
  });

  it("is a promise only if the library returns one", async () => {
    const late = z.object({ a: z.number().refine(async (a) => a > 0) });
    const verdict = compileSchema(late, input).validate({ a: -1 });
    expect(isPromise(verdict)).toBe(true);
    expect((await verdict).issues).toHaveLength(1);
    expect(isPromise(compileSchema(sums, input).validate({}))).toBe(false);
  });

  it.each(["compile", "validate"] as const)("JSON Schema is compiled by the first %s, and once [CS-58]", async (first) => {
    const asked: unknown[] = [];
    const schema = { type: "object", required: ["a"] };
    const compiled = compileSchema(schema, {
      ...input,
      validator: { compile: async (each) => (asked.push(each), (value) => ({ value })) },
    });
    expect(asked).toEqual([]);
    await compiled[first]?.({});
    expect(await compiled.validate({})).toEqual({ value: {} });
    expect(isPromise(compiled.validate({}))).toBe(false);
    expect(asked).toEqual([schema]);
  });
});

describe("describing issues", () => {
  it("writes paths as code does", () => {
    expect(describePath({ message: "", path: ["a", 0, { key: "b" }, Symbol.for("s")] })).toBe("a[0].b.Symbol(s)");
    expect(describePath({ message: "" })).toBe("");
  });

  it("names each place once, and stops at eight", () => {
    const issues = Array.from({ length: 10 }, (_, i) => ({ message: `m${i}`, path: [i] }));
    expect(describeIssues(issues)).toMatch(/^\[0\]: m0; .*\[7\]: m7; and 2 more$/);
    expect(describeIssues([{ message: "bad" }])).toBe("bad");
    expect(describeIssues([{ path: ["a", 0], message: "a[0] must be a number" }])).toBe("a[0] must be a number");
    expect(describeIssues([{ path: ["a"], message: "all must be numbers" }])).toBe("a: all must be numbers");
  });
});
