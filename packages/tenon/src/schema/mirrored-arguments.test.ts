import { describe, expect, test } from "vitest";
import { mirroredArguments } from "./mirrored-arguments.ts";

const object = (properties: object): object => ({ type: "object", properties });
const header = (name: unknown, type: unknown = "string"): object => ({ type, "x-mcp-header": name });

describe("what a schema wants repeated [F3.1 F3.2]", () => {
  test("properties of properties, each with its path [Z11]", () => {
    const schema = object({ a: header("Region"), b: object({ c: header("Level", "integer"), d: header("Dry-Run", "boolean") }) });
    expect(mirroredArguments(schema)).toEqual([
      { header: "mcp-param-region", path: ["a"] },
      { header: "mcp-param-level", path: ["b", "c"] },
      { header: "mcp-param-dry-run", path: ["b", "d"] },
    ]);
  });

  test.each([
    ["a property of that name", object({ "x-mcp-header": { type: "string" } })],
    [
      "a value that looks like it",
      object({ a: { type: "object", default: header("A"), examples: [header("A")], const: header("A"), enum: [header("A")] } }),
    ],
    ["nothing", {}],
    ["no schema", 1],
  ])("%s is not mirrored", (_, schema) => {
    expect(mirroredArguments(schema)).toEqual([]);
  });
});

describe("what breaks the rules [F3.2 F3.3]", () => {
  test.each<[string, unknown]>([
    ["empty", ""],
    ["a space", "a b"],
    ["a colon", "a:b"],
    ["a line break", "a\r\nb"],
    ["not ASCII", "Größe"],
    ["a number", 1],
    ["null", null],
    ["an object", {}],
  ])("an invalid header name: %s", (_, name) => {
    expect(mirroredArguments(object({ a: header(name) }))).toContain("not a valid header name");
  });

  test.each(["number", "object", "array", "null", ["string"], undefined])("type %j", (type) => {
    expect(mirroredArguments(object({ a: { "x-mcp-header": "A", ...(type !== undefined && { type }) } }))).toContain(
      "must be on a property that is a string, integer or boolean",
    );
  });

  test("one name twice, in upper or lower case", () => {
    expect(mirroredArguments(object({ a: header("Region"), b: object({ c: header("REGION") }) }))).toContain("twice");
  });

  test.each<[string, object]>([
    ["the root", { type: "string", "x-mcp-header": "A" }],
    ["items", object({ a: { type: "array", items: header("A") } })],
    ["prefixItems", object({ a: { type: "array", prefixItems: [header("A")] } })],
    ["properties of items", object({ a: { type: "array", items: object({ b: header("A") }) } })],
    ["additionalProperties", { type: "object", additionalProperties: header("A") }],
    ["patternProperties", { type: "object", patternProperties: { a: header("A") } }],
    ["oneOf", { type: "object", oneOf: [object({ a: header("A") })] }],
    ["anyOf", object({ a: { anyOf: [header("A")] } })],
    ["allOf", { type: "object", allOf: [object({ a: header("A") })] }],
    ["not", { type: "object", not: object({ a: header("A") }) }],
    ["if, then, else", { type: "object", then: object({ a: header("A") }) }],
    ["$defs", { type: "object", $defs: { a: header("A") } }],
    ["dependentSchemas", { type: "object", dependentSchemas: { a: object({ b: header("A") }) } }],
  ])("a place no path leads to: %s", (_, schema) => {
    expect(mirroredArguments(schema)).toContain("path alone");
  });
});
