/** Forms from schemas: what a form keeps, what it omits, and what it cannot have. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { toForm } from "./form.ts";

const formOf = (schema: z.ZodType): unknown => toForm(z.toJSONSchema(schema), "question");

describe("A form", () => {
  it("has every kind of field there is [L1.4]", () => {
    const schema = z.object({
      name: z.string().min(2).describe("Who"),
      mail: z.email(),
      age: z.int().min(1).max(9).optional(),
      score: z.number().default(1.5),
      sure: z.boolean().default(true),
      size: z.enum(["s", "m"]),
      fixed: z.literal("a"),
      many: z.array(z.enum(["x", "y"])).min(1),
    });
    expect(formOf(schema)).toEqual({
      type: "object",
      properties: {
        name: { type: "string", description: "Who", minLength: 2 },
        mail: { type: "string", format: "email" },
        age: { type: "integer", minimum: 1, maximum: 9 },
        score: { type: "number", default: 1.5 },
        sure: { type: "boolean", default: true },
        size: { type: "string", enum: ["s", "m"] },
        fixed: { type: "string", enum: ["a"] },
        many: { type: "array", minItems: 1, items: { type: "string", enum: ["x", "y"] } },
      },
      required: expect.arrayContaining(["name", "mail", "size", "fixed", "many"]) as string[],
    });
  });

  it("keeps the bounds of each type, and the four formats that forms have, no other [L1.4]", () => {
    const properties = {
      text: { type: "string", title: "T", maxLength: 9 },
      part: { type: "number", minimum: 0.5, maximum: 1.5 },
      whole: { type: "integer", minimum: 1, maximum: 9 },
      many: { type: "array", maxItems: 2, items: { type: "string", enum: ["a"] } },
      mail: { type: "string", format: "email" },
      link: { type: "string", format: "uri" },
      day: { type: "string", format: "date" },
      time: { type: "string", format: "date-time" },
    };
    expect(toForm({ type: "object", properties }, "question")).toStrictEqual({ type: "object", properties });
    const others = {
      host: { type: "string", format: "hostname", pattern: "x" },
      size: { type: "number", format: "date", multipleOf: 2 },
    };
    expect(toForm({ type: "object", properties: others }, "question")).toStrictEqual({
      type: "object",
      properties: { host: { type: "string" }, size: { type: "number" } },
    });
  });

  it("takes null from the alternatives of a field, by each of the words for them [L1.4]", () => {
    const alternatives = [{ type: "string", maxLength: 9 }, { type: "null" }];
    for (const field of [{ anyOf: alternatives }, { oneOf: alternatives }, { anyOf: "odd", oneOf: alternatives }]) {
      const form = toForm({ type: "object", properties: { field }, required: ["field"] }, "question");
      expect(form.properties).toStrictEqual({ field: { type: "string", maxLength: 9 } });
      expect(form.required ?? []).toEqual([]);
    }
  });

  it("keeps titled choices as they are written [L1.4]", () => {
    const titled = [{ const: "a", title: "First" }];
    const properties = {
      one: { type: "string", oneOf: titled },
      old: { type: "string", enum: ["a"], enumNames: ["First"] },
      several: { type: "array", items: { anyOf: titled } },
    };
    expect(toForm({ type: "object", properties, additionalProperties: false }, "question")).toStrictEqual({
      type: "object",
      properties,
    });
    expect(toForm({ type: "object", properties: {}, required: [] }, "question")).toStrictEqual({
      type: "object",
      properties: {},
    });
  });

  it.each([
    ["an object", z.object({ field: z.object({}) })],
    ["a list of texts", z.object({ field: z.array(z.string()) })],
    ["one of several types", z.object({ field: z.union([z.string(), z.number()]) })],
    ["anything", z.object({ field: z.unknown() })],
    ["null", z.object({ field: z.null() })],
  ])("has no field for %s, and the error names it [L1.4]", (_what, schema) => {
    expect(() => formOf(schema)).toThrow(/^Field "field" of question must /);
  });

  it.each([true, null, "string"])("has no field whose schema is %j, and the error names it [L1.4]", (field) => {
    const toBroken = (): unknown => toForm({ type: "object", properties: { field } }, "question");
    expect(toBroken).toThrow(new TypeError('Field "field" of question must be a schema'));
  });

  it("is an object at its root [L1.4]", () => {
    expect(() => formOf(z.string())).toThrow("The schema of question must be an object");
  });
});
