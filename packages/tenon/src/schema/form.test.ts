/** JSON Schemas as fields of a form, however a schema is written. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { choicesOf, kindOf, resolve, textChoicesOf, typesOf, variantsOf } from "./form.ts";

describe("the choices of a field", () => {
  test.each<[string, JsonObject, unknown[], string[]]>([
    ["an enumeration", { enum: ["a", 1, null] }, ["a", 1, null], ["a", "1", "null"]],
    ["an enumeration with titles beside it", { enum: ["a", "b"], enumNames: ["A"] }, ["a", "b"], ["A", "b"]],
    ["constants with titles", { oneOf: [{ const: "a", title: "A" }, { const: "b" }] }, ["a", "b"], ["A", "b"]],
    ["one constant", { const: true, title: "Yes" }, [true], ["Yes"]],
    ["variants of which one is no constant", { anyOf: [{ const: "a" }, { type: "string" }] }, [], []],
  ])("%s", (_name, schema, values, titles) => {
    expect(choicesOf(schema).map(({ value }) => value)).toEqual(values);
    expect(choicesOf(schema).map(({ title }) => title)).toEqual(titles);
  });
});

describe("references", () => {
  const root = { $defs: { "a/b": { type: "integer", title: "Def" }, "50%": { enum: ["x"] }, self: { $ref: "#/$defs/self" } } };

  test("are followed within the document, and members beside them win", () => {
    expect(resolve({ $ref: "#/$defs/a~1b", title: "Own" }, root)).toEqual({ type: "integer", title: "Own" });
    expect(textChoicesOf({ $ref: "#/$defs/50%" }, root)).toEqual(["x"]);
  });

  test("to themselves, to nothing, or out of the document lead to an open schema", () => {
    for (const $ref of ["#/$defs/self", "#/$defs/absent", "https://x.example/schema", "#/$defs/constructor"])
      expect(kindOf(resolve({ $ref }, root))).toBe("any");
  });

  test("in a circle of variants end", () => {
    const circle = { anyOf: [{ $ref: "#" }, { $ref: "#" }] };
    expect(typesOf(circle, circle)).toEqual([]);
    expect(textChoicesOf(circle, circle)).toBeUndefined();
  });

  test.each(["allOf", "anyOf"])("to each other in more ways than can be followed, by %s, take no longer than few", (keyword) => {
    const part = (level: number): JsonObject => ({
      [keyword]: Array.from({ length: 20 }, () => ({ $ref: `#/$defs/${level + 1}` })),
    });
    const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, level) => [level, part(level)]));
    const steep = { $defs };
    expect(kindOf(resolve({ $ref: "#/$defs/0" }, steep))).toBe(keyword === "allOf" ? "any" : "union");
    expect(typesOf({ $ref: "#/$defs/0" }, steep)).toEqual([]);
    expect(textChoicesOf({ $ref: "#/$defs/0" }, steep)).toBeUndefined();
  });
});

test("the parts of allOf are one schema", () => {
  const parts = [
    { properties: { a: {} }, required: ["a"] },
    { properties: { b: {} }, required: ["b"] },
  ];
  expect(resolve({ allOf: parts }, {})).toEqual({ properties: { a: {}, b: {} }, required: ["a", "b"] });
});

test("types and texts of variants are joined, each once", () => {
  expect(typesOf({ anyOf: [{ type: "string" }, { enum: [1, null] }, { type: ["string", "boolean"] }] }, {})).toEqual([
    "string",
    "number",
    "null",
    "boolean",
  ]);
  expect(textChoicesOf({ anyOf: [{ enum: ["a"] }, { const: "b" }, { enum: ["a"] }] }, {})).toEqual(["a", "b"]);
  expect(textChoicesOf({ anyOf: [{ enum: ["a"] }, { type: "null" }] }, {})).toBeUndefined();
});

test("the variants of a type list have what the whole has", () => {
  expect(variantsOf({ type: ["string", "null"], maxLength: 3 })).toEqual([
    { maxLength: 3, type: "string", title: "string" },
    { maxLength: 3, type: "null", title: "null" },
  ]);
});

test.each<[JsonObject, string]>([
  [{ type: "array", items: { enum: ["a"] } }, "list"],
  [{ type: "array", items: { enum: ["a"] }, uniqueItems: true }, "choices"],
  [{ type: "array", items: { anyOf: [{ const: "a" }] } }, "choices"],
  [{ prefixItems: [{}] }, "tuple"],
  [{ additionalProperties: { type: "string" } }, "map"],
  [{ additionalProperties: {}, properties: { a: {} } }, "object"],
  [{ type: ["string", "null"] }, "union"],
  [{ type: "integer" }, "number"],
])("%j is a field of the kind %s", (schema, kind) => expect(kindOf(schema)).toBe(kind));
