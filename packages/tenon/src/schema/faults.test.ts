import { describe, expect, it } from "vitest";
import type { JsonObject } from "../jsonrpc/message.ts";
import { interpretSchema } from "./interpreter.ts";
import { defaultSchemaLimits } from "./schema-limits.ts";
import { describeIssues } from "./standard-schema.ts";

function faults(schema: JsonObject, value: unknown): string[] {
  const { issues = [] } = interpretSchema(schema, defaultSchemaLimits)(value);
  return describeIssues(issues).split("; ");
}

const text = { type: "string" };
const number = { type: "number" };

describe("a value that does not fit is refused with all that is wrong [FD-78]", () => {
  it.each<[what: string, schema: JsonObject, value: unknown, faults: string[]]>([
    [
      "members that are missing, wrong and foreign",
      { type: "object", properties: { a: text, b: number, c: text, d: text }, required: ["a", "d"], additionalProperties: false },
      { b: "1", c: 2, e: 3 },
      ['must have the properties "a", "d"', 'must not have a property "e"', "b: must be number", "c: must be string"],
    ],
    [
      "members of members and items",
      {
        type: "object",
        properties: { o: { type: "object", properties: { x: text, y: text } }, l: { type: "array", items: number } },
      },
      { o: { x: 1, y: 2 }, l: [1, "2", "3"] },
      ["o.x: must be string", "o.y: must be string", "l[1]: must be number", "l[2]: must be number"],
    ],
    [
      "what references lead to",
      { $ref: "#/$defs/o", $defs: { o: { type: "object", properties: { a: { $ref: "#/$defs/o" }, t: text }, required: ["t"] } } },
      { a: { t: 1 } },
      ['must have a property "t"', "a.t: must be string"],
    ],
    ["a root of another type", { type: "object", required: ["a"] }, 7, ["must be object"]],
  ])("%s", (_what, schema, value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  it("with one fault for alternatives, of which each may be the right one", () => {
    const schema = { anyOf: [text, { type: "object", properties: { a: text, b: text } }] };
    expect(faults(schema, { a: 1, b: 1 })).toHaveLength(1);
  });

  it("up to eight, and references that lead to each other end", () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, text]));
    const value = Object.fromEntries(Object.keys(many).map((name) => [name, 1]));
    expect(faults({ properties: many }, value)).toHaveLength(8);
    const round = { type: "string", $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } };
    expect(faults(round, 1)).toEqual(["must be string"]);
  });
});
