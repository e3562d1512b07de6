/** Arguments made from a schema fit it. */
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { sampleOf } from "./sample.ts";

test.each([
  [
    "required members only",
    { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] },
    { a: "a" },
  ],
  [
    "choices, constants and defaults",
    {
      type: "object",
      properties: { a: { enum: ["x", "y"] }, b: { const: 3 }, c: { type: "string", default: "d" } },
      required: ["a", "b", "c"],
    },
    { a: "x", b: 3, c: "d" },
  ],
  [
    "bounds",
    {
      type: "object",
      properties: {
        a: { type: "integer", minimum: 5 },
        b: { type: "number", exclusiveMinimum: 2 },
        c: { type: "string", minLength: 3 },
        d: { type: "integer", maximum: -4 },
      },
      required: ["a", "b", "c", "d"],
    },
    { a: 5, b: 3, c: "aaa", d: -4 },
  ],
  [
    "lists",
    {
      type: "object",
      properties: { a: { type: "array", items: { type: "boolean" }, minItems: 1 }, b: { type: "array" } },
      required: ["a", "b"],
    },
    { a: [false], b: [] },
  ],
  [
    "references and alternatives",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/x" }, b: { anyOf: [{ type: "null" }, { type: "string" }] } },
      required: ["a", "b"],
      $defs: { x: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    },
    { a: { n: 1 }, b: null },
  ],
  ["a schema that refers to itself", { $ref: "#" }, {}],
])("%s", (_of, schema, expected) => {
  expect(sampleOf(schema)).toEqual(expected);
  if (!("$ref" in schema)) expect(new Ajv().validate(schema, expected)).toBe(true);
});

test("a format with the name of a member of each object is an unknown one", () => {
  expect(sampleOf({ type: "string", format: "constructor" })).toBe("a");
});
