/** What transform() and the functions of sets refuse, with the error that says what to do. */
import * as z from "zod";
import { describe, expect, test } from "vitest";
import { join, only, prefix, transform, without } from "tenon/compose";
import { tool } from "tenon/server";

const search = tool({ input: z.object({ q: z.string(), key: z.string() }) }, ({ q }) => q);
/** A tool whose schema has these members beside two arguments. */
const having = (members: object): ReturnType<typeof tool> =>
  tool(
    { input: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, ...members } },
    () => "",
  ) as never;
const renaming = { arguments: { a: { name: "x" } } } as never;

describe("transform() refuses", () => {
  test.each<[why: string, changes: object, error: RegExp]>([
    ["an argument that does not exist", { query: { name: "q" } }, /has no argument "query" in #\/properties/],
    ["two arguments with one name", { q: { name: "key" } }, /two arguments would have the name "key"/],
    [
      "a pin that is undefined, which would publish the argument",
      { key: { pin: undefined } },
      /"pin" of the argument "key" is undefined/,
    ],
    ["a default that is undefined", { key: { default: undefined } }, /"default" of the argument "key" is undefined/],
    ["a pin with another change", { key: { pin: "x", name: "y" } }, /"key" is pinned and can have no other change/],
    ["an empty name", { q: { name: "" } }, /needs a name that is not empty/],
    [
      "an option of another library",
      { q: { hide: true } },
      /Unknown option "hide" of argument "q" of transform\(\)\. Did you mean "pin"\?/,
    ],
  ])("%s", (_why, changes, error) => {
    expect(() => transform(search, { arguments: changes as never })).toThrow(error);
  });

  test.each<[path: string, members: object]>([
    ["#/oneOf/1/required", { oneOf: [{ required: ["b"] }, { required: ["a"] }] }],
    ["#/anyOf/0/properties/a", { anyOf: [{ properties: { a: { const: "x" } } }] }],
    [
      "#/allOf/0/$ref/properties/a",
      { allOf: [{ $ref: "#/$defs/One" }], $defs: { One: { properties: { a: { minLength: 1 } } } } },
    ],
    ["#/allOf/0/additionalProperties", { allOf: [{ additionalProperties: false }] }],
    ["#/$ref/required", { $ref: "#/$defs/One~1Two", $defs: { "One/Two": { required: ["a"] } } }],
    ["#/if/properties/a", { if: { properties: { a: { const: "x" } } }, then: { required: ["b"] } }],
    ["#/not/required", { not: { required: ["a"] } }],
    ["#/dependentSchemas/a", { dependentSchemas: { a: { minProperties: 0 } } }],
    ["#/dependentSchemas/b/required", { dependentSchemas: { b: { required: ["a"] } } }],
    ["#/patternProperties", { patternProperties: { "^a": { type: "string" } } }],
    ["#/propertyNames", { propertyNames: { maxLength: 3 } }],
    ["#/minProperties", { minProperties: 1 }],
    ["#/properties/c/$ref", { properties: { a: {}, c: { $ref: "#/properties/a" } } }],
    ["#/properties/child/$ref", { properties: { a: {}, child: { $ref: "#" } } }],
  ])("a rename that a keyword would contradict, with its path: %s", (path, members) => {
    expect(() => transform(having(members), renaming)).toThrow(
      new RegExp(`"a" cannot be renamed.* because of ${path.replace("$", "\\$")}`),
    );
  });

  test("a pin and a default where a keyword would contradict them, but not a description", () => {
    const one = having({ oneOf: [{ required: ["a"] }] });
    expect(() => transform(one, { arguments: { a: { pin: "x" } } } as never)).toThrow(/#\/oneOf\/0\/required/);
    expect(() => transform(one, { arguments: { a: { default: "x" } } } as never)).toThrow(/#\/oneOf\/0\/required/);
    expect(transform(one, { arguments: { a: { describe: "x" } } } as never).options.input).toMatchObject({
      oneOf: [{ required: ["a"] }],
    });
  });

  test("endless references end with the path, and do not hang", () => {
    const loop = having({ allOf: [{ $ref: "#/$defs/A" }], $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } });
    expect(() => transform(loop, renaming)).toThrow(/because of #\/allOf/);
  });

  test("a tool without a schema, an output without a result, and names that mean something else", () => {
    expect(() =>
      transform(
        tool({}, () => ""),
        renaming,
      ),
    ).toThrow(/the tool has no input schema/);
    expect(() => transform(search, { output: z.string() } as never)).toThrow(/"output" needs "result"/);
    expect(() => transform(search, { name: "x" } as never)).toThrow(/The name of a tool is its key/);
    expect(() => transform(search, { description: "x" } as never)).toThrow(/Did you mean "describe"\?/);
  });

  test("tools of a set that do not exist, and two with one name", () => {
    const set = { search, other: search };
    expect(() => transform(set, { serach: { describe: "x" } } as never)).toThrow(
      /there is no tool "serach"\. There are: search, other\./,
    );
    expect(() => transform(set, { search: { name: "other" } })).toThrow(/two tools would have the name "other"/);
  });
});

describe("sets of tools refuse", () => {
  test("a name that two sets have", () => {
    expect(() => join({ a: search }, { b: search, a: search })).toThrow(/two sets have a tool "a"/);
  });

  test("names that no tool has", () => {
    expect(() => only({ a: search }, "b" as never)).toThrow(/only\(\): there is no tool "b"\. There are: a\./);
    expect(() => without({ a: search }, "b" as never)).toThrow(/without\(\): there is no tool "b"/);
  });

  test("an empty prefix", () => {
    expect(() => prefix("", { a: search })).toThrow(/prefix\(\) needs a text/);
  });

  test("nothing that is right: order, names and the tools themselves stay", () => {
    const set = join(prefix("x", { a: search, b: search }), { constructor: search });
    expect(Object.keys(set)).toEqual(["x__a", "x__b", "constructor"]);
    expect(set.x__a).toBe(search);
    expect(Object.keys(only(set, "x__b", "constructor"))).toEqual(["x__b", "constructor"]);
    expect(Object.keys(without(set, "x__b"))).toEqual(["x__a", "constructor"]);
  });
});
