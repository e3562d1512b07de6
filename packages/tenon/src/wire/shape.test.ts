import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { entryOf, type Revision } from "./revision.ts";
import { ShapeChecks, membersOf, type Dictionary } from "./shape.ts";

const types: Dictionary = {
  Tool: "name title? tags?:string[] limits?:{integer} kind?:'a'|'b'",
  Text: "type:'text' text",
  Link: "type:'link' uri",
  Block: "= Text|Link",
};

function explain(term: string, value: unknown): string | undefined {
  return new ShapeChecks((name) => types[name]).term(term)(value);
}

describe("a check", () => {
  test("accepts values that fit, and members that are not listed [A1.12]", () => {
    expect(explain("Tool", { name: "a", tags: ["x"], limits: { n: 1 }, kind: "b", other: [] })).toBeUndefined();
    expect(
      explain("Block[]", [
        { type: "link", uri: "a:b" },
        { type: "text", text: "" },
      ]),
    ).toBeUndefined();
    expect(explain("Tool", { name: "a", title: undefined })).toBeUndefined();
  });

  test.each([
    ["Tool", null, " is not an object"],
    ["Tool", [], " is not an object"],
    ["Tool", {}, ".name is missing"],
    ["Tool", { name: 1 }, ".name is not a string"],
    ["Tool", { name: "a", tags: ["x", 1] }, ".tags[1] is not a string"],
    ["Tool", { name: "a", tags: { length: 0 } }, ".tags is not a list"],
    ["Tool", { name: "a", limits: { "n m": 1.5 } }, '.limits["n m"] is not an integer'],
    ["Tool", { name: "a", kind: "c" }, '.kind is not "a" or "b"'],
    ["Block", { type: "text" }, ".text is missing"],
    ["Block", { type: "sound" }, '.type is not "text" or "link"'],
    ["Block", {}, ".type is missing"],
    ["fraction", 1.01, " is not a number from 0 to 1"],
    ["integer|null", "1", " fits none of its forms (it is not an integer; it is not null)"],
  ])("says where %s is wrong in %j [CF-08]", (term, value, problem) => {
    expect(explain(term, value)).toBe(problem);
  });

  test("quotes no more than the beginning of a long key [CF-08]", () => {
    expect(explain("{integer}", { ["k".repeat(1_000_000)]: "x" })).toBe(`["${"k".repeat(64)}"] is not an integer`);
  });

  test("members of the prototype are not members [F5]", () => {
    expect(explain("Text", JSON.parse('{"type":"text","__proto__":{"text":"x"}}'))).toBe(".text is missing");
    expect(new ShapeChecks(() => "constructor").type("Odd")({})).toBe(".constructor is missing");
  });

  test("never throws and never changes the value", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(types)), (value, name) => {
        const before = JSON.stringify(value);
        explain(name, value);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  test("a name the dictionary does not have is a mistake in the dictionary", () => {
    expect(() => explain("Unknown", {})).toThrow(TypeError);
  });
});

describe("an entry of a revision", () => {
  const revision = (types: Dictionary, previous?: Revision): Revision => ({
    version: "2024-11-05",
    ...(previous && { previous }),
    facts: {},
    types,
    params: {},
    results: {},
  });
  const first = revision({ Tool: "name title? size:integer", Block: "= Text", Old: "name" });
  const second = revision({ Tool: "size?:number -title icon?", Block: "= Text|Link", New: "id" }, first);

  test("adds, replaces and removes members of the one before, and keeps the rest", () => {
    expect(membersOf(entryOf(second, "types", "Tool") ?? "")).toEqual([
      { name: "name", required: true, term: "string" },
      { name: "size", required: false, term: "number" },
      { name: "icon", required: false, term: "string" },
    ]);
    expect(entryOf(second, "types", "Block")).toBe("= Text|Link");
    expect(entryOf(second, "types", "New")).toBe("id");
    expect(entryOf(second, "types", "Old")).toBe("name");
    expect(entryOf(second, "types", "None")).toBeUndefined();
  });

  test("does not change the entry before it", () => {
    expect(entryOf(first, "types", "Tool")).toBe("name title? size:integer");
    expect(entryOf(first, "types", "New")).toBeUndefined();
  });
});
