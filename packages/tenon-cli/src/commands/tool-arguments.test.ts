import { expect, test } from "vitest";
import { UsageError } from "../failure.ts";
import { toPromptArguments, toToolArguments } from "./tool-arguments.ts";

const schema = {
  type: "object",
  properties: {
    name: { type: "string" },
    count: { type: "integer" },
    ratio: { type: "number" },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    point: { $ref: "#/$defs/point" },
    either: { anyOf: [{ type: "number" }, { type: "string" }] },
    maybe: { type: ["null", "boolean"] },
    level: { enum: ["low", "high", 3] },
    any: {},
  },
  $defs: { point: { type: "object", properties: { x: { type: "number" } } } },
};

test.each([
  ["name=true", { name: "true" }],
  ["name=", { name: "" }],
  ["name=a=b", { name: "a=b" }],
  ["count=3", { count: 3 }],
  ["ratio=-0.5", { ratio: -0.5 }],
  ["ratio=1e3", { ratio: 1000 }],
  ["on=false", { on: false }],
  [`tags=["a","b"]`, { tags: ["a", "b"] }],
  [`point={"x":1}`, { point: { x: 1 } }],
  ["either=5", { either: 5 }],
  ["either=five", { either: "five" }],
  ["maybe=null", { maybe: null }],
  ["level=3", { level: 3 }],
  ["level=low", { level: "low" }],
  [`any={"deep":[1]}`, { any: { deep: [1] } }],
  ["any=plain", { any: "plain" }],
])("--arg %s", (pair, args) => {
  expect(toToolArguments(schema, [pair])).toEqual(args);
});

test.each([
  ["count=2.5", 'Argument "count" must be integer, not "2.5".'],
  ["count=", 'Argument "count" must be integer, not "".'],
  ["ratio=Infinity", 'Argument "ratio" must be number, not "Infinity".'],
  ["on=yes", 'Argument "on" must be boolean, not "yes".'],
  ["tags=a,b", 'Argument "tags" must be array, written as JSON, not "a,b".'],
  ["nmae=x", 'Unknown argument "nmae". Did you mean "name"?'],
  ["name.first=x", `Argument "name" is written as JSON, with its members: --arg 'name={"first": …}'`],
  ["name", '--arg "name" has no value'],
  ["=x", '--arg "=x" has no value'],
])("--arg %s is refused by name, with what was expected", (pair, message) => {
  const refused = (): unknown => toToolArguments(schema, [pair]);
  expect(refused).toThrow(UsageError);
  expect(refused).toThrow(message);
});

test("an argument given twice is refused", () => {
  expect(() => toToolArguments(schema, ["name=a", "name=b"])).toThrow("given twice");
});

test("a missing argument is named", () => {
  expect(() => toToolArguments({ ...schema, required: ["count"] }, [])).toThrow(
    'Argument "count" is missing (integer): add --arg count=…',
  );
});

test("--args is passed on unchecked, and --arg adds to it", () => {
  expect(toToolArguments({ ...schema, required: ["count"] }, ["name=a"], '{"count":"wrong","other":1}')).toEqual({
    count: "wrong",
    other: 1,
    name: "a",
  });
  expect(() => toToolArguments(schema, [], "[1]")).toThrow("--args must be a JSON object");
  expect(() => toToolArguments(schema, [], "{a:1}")).toThrow("--args is not JSON");
});

test("a schema that says nothing of its members, or allows others, takes any name", () => {
  expect(toToolArguments({ type: "object" }, ["x=1"])).toEqual({ x: 1 });
  expect(toToolArguments({ ...schema, additionalProperties: true }, ["other=text"])).toEqual({ other: "text" });
  expect(() => toToolArguments({ type: "object", additionalProperties: false }, ["x=1"])).toThrow("It takes none.");
});

test("names that mean something to JavaScript are only names", () => {
  const args = toToolArguments({ type: "object" }, ["__proto__=x", "constructor=y"]);
  expect(Object.keys(args)).toEqual(["__proto__", "constructor"]);
  expect(() => toToolArguments(schema, ["toString=x"])).toThrow("Unknown argument");
});

test("a schema that refers to itself ends", () => {
  expect(toToolArguments({ type: "object", properties: { x: { $ref: "#/properties/x" } } }, ["x=1"])).toEqual({ x: 1 });
});

test("arguments of a prompt are text", () => {
  const declared = [{ name: "city", required: true }, { name: "style" }];
  expect(toPromptArguments(declared, ["city=1"])).toEqual({ city: "1" });
  expect(() => toPromptArguments(declared, [])).toThrow('Argument "city" is missing');
  expect(() => toPromptArguments(declared, ["ctiy=Rome"])).toThrow('Did you mean "city"?');
});
