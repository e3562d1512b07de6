import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import { parseJson } from "./parse-json.ts";

const limits = (some: Partial<JsonLimits>): JsonLimits => ({ ...DEFAULT_JSON_LIMITS, ...some });

function failure(text: string, some: Partial<JsonLimits> = {}): McpError {
  try {
    parseJson(text, limits(some));
  } catch (error) {
    if (error instanceof McpError) return error;
    throw error;
  }
  throw new Error("was accepted");
}

/**
 * Containers inside each other, values, most members of one object, longest number: what the limits are about, counted the slow
 * way.
 */
function shape(value: unknown): { depth: number; nodes: number; keys: number; number: number } {
  const own = { depth: 0, nodes: 1, keys: 0, number: typeof value === "number" ? JSON.stringify(value).length : 0 };
  if (typeof value !== "object" || value === null) return own;
  const below = Object.values(value).map(shape);
  return {
    depth: 1 + Math.max(0, ...below.map((s) => s.depth)),
    nodes: 1 + below.reduce((sum, s) => sum + s.nodes, 0),
    keys: Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...below.map((s) => s.keys)),
    number: Math.max(0, ...below.map((s) => s.number)),
  };
}

/** JSON as written: objects are lists of members, so that a key may come twice. */
type Written = string | readonly Written[] | { members: readonly (readonly [string, Written])[] };

const written = fc.letrec<{ node: Written }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      "null",
      "true",
      "-1.5e+3",
      "0",
      '""',
      '":,{}[]"',
      '"\\""',
      '"\\\\"',
      '"\\\\\\"{"',
      ...["\\\\", '\\"', '\\"\\\\', '\\"{[:,', '\\\\\\":'].map((end) => `"${"x".repeat(40)}${end}"`),
    ),
    fc.array(tie("node"), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.constantFrom("a", "b", "\\u0061", "__proto__", "constructor", "a:b", '\\"', "\\\\", "", "A", "a\\u0000"),
          tie("node"),
        ),
        { maxLength: 5 },
      )
      .map((members) => ({ members })),
  ),
})).node;

function toText(node: Written): string {
  if (typeof node === "string") return node;
  if ("members" in node) return `{${node.members.map(([key, value]) => `"${key}" : ${toText(value)}`).join(",\n")}}`;
  return `[${node.map(toText).join(" ,")}]`;
}

function hasDuplicate(node: Written): boolean {
  if (typeof node === "string") return false;
  if (!("members" in node)) return node.some(hasDuplicate);
  const keys = node.members.map(([key]) => JSON.parse(`"${key}"`) as string);
  return new Set(keys).size < keys.length || node.members.some(([, value]) => hasDuplicate(value));
}

describe("parseJson", () => {
  it("refuses a text exactly if some object in it has a key twice, however the key is written [F4 rule R7]", () => {
    fc.assert(
      fc.property(written, (node) => {
        const text = toText(node);
        if (hasDuplicate(node)) expect(failure(text)).toBeInstanceOf(ProtocolViolationError);
        else expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '[[{"x":{"a":1,"b":2,"a":3}}]]',
    '{"a":1,"\\u0061":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"b":1,"b":2},"c":{"d":{}}}',
  ])("refuses the duplicate in %s with -32600 [F4]", (text) => {
    expect(failure(text)).toMatchObject({ code: -32600, message: "Invalid JSON: an object has the same key twice" });
  });

  it("keeps case variants, look-alikes and NUL suffixes as keys of their own [F4]", () => {
    const value = parseJson('{"method":1,"Method":2,"method\\u0000":3,"param\u017f":4,"params":5}');
    expect(Object.keys(value as object)).toEqual(["method", "Method", "method\0", "param\u017f", "params"]);
  });

  it("keeps __proto__ and constructor as data [F5]", () => {
    const value = parseJson('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as Record<string, unknown>;
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("accepts a text exactly at each limit and refuses it one below [F8]", () => {
    const value = fc.jsonValue();
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1), (tree, indent) => {
        const text = JSON.stringify(tree, null, indent);
        const normal: unknown = JSON.parse(text);
        const { depth, nodes, keys, number } = shape(normal);
        const exact = { depth, nodes, keysPerObject: keys, numberLength: number, size: text.length };
        expect(parseJson(text, limits(exact))).toEqual(normal);
        for (const name of Object.keys(exact) as (keyof typeof exact)[]) {
          if (exact[name] <= (name === "nodes" || name === "numberLength" ? 1 : 0)) continue; // no limit can be below
          expect(failure(text, { ...exact, [name]: exact[name] - 1 })).toMatchObject({
            code: -32600,
            limit: name,
            max: exact[name] - 1,
          });
        }
      }),
      { numRuns: 1000 },
    );
  });

  it.each<[string, string, string]>([
    ["depth", "[".repeat(64) + "]".repeat(64), "[".repeat(65) + "]".repeat(65)],
    ["depth", '{"a":' + "[".repeat(63) + "]".repeat(63) + "}", '{"a":' + "[{},[".repeat(32) + "]]".repeat(32) + "}"],
    ["nodes", `[${"1,".repeat(99_998)}1]`, `[${"1,".repeat(99_999)}1]`],
    ["nodes", `[${"[],".repeat(99_998)}{}]`, `[${"[],".repeat(99_999)}{}]`],
    ["keysPerObject", wide(10_000), wide(10_001)],
    ["numberLength", `[-${"1".repeat(63)}]`, `[-${"1".repeat(64)}]`],
    ["numberLength", `[1.${"0".repeat(59)}e+9]`, `[1.${"0".repeat(60)}e+9]`],
    ["size", `"${"x".repeat(10 * 1024 * 1024 - 2)}"`, `"${"x".repeat(10 * 1024 * 1024 - 1)}"`],
  ])("by default: %s at the limit passes, one more does not [F8 rule R6]", (limit, at, over) => {
    expect(() => parseJson(at)).not.toThrow();
    expect(failure(over)).toBeInstanceOf(LimitExceededError);
    expect(failure(over)).toMatchObject({ code: -32600, limit, message: expect.stringContaining(`"${limit}"`) });
  });

  it.each(["[".repeat(1_000_000), '{"a":'.repeat(1_000_000), `{"a":${"9".repeat(5_000_000)}`, `[${"0,".repeat(200_000)}`])(
    "refuses depth, nodes and long numbers before JSON.parse would find the text is not even JSON (%#) [F6]",
    (text) => {
      expect(failure(text)).toBeInstanceOf(LimitExceededError);
    },
  );

  it("refuses text that is not JSON with -32700 and never quotes it [F1]", () => {
    for (const text of [
      "",
      " ",
      "secret",
      '{"secret":}',
      '"secret',
      "[secret]",
      "\uFEFF{}",
      "{'secret':1}",
      "01",
      "[1,]",
      '"\\',
      '"\\"',
      "NaN",
    ]) {
      const error = failure(text);
      expect(error.code).toBe(-32700);
      expect(JSON.stringify(error.toErrorData())).not.toContain("secret");
    }
  });

  it("accepts nothing that JSON.parse does not, and never changes a value [F1]", () => {
    const mutated = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "1", " ", "\u2028", ""))
      .map(([text, at, insert]) => text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + 1));
    fc.assert(
      fc.property(fc.oneof(mutated, fc.json(), fc.string()), (text) => {
        let ours: unknown;
        try {
          ours = parseJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(McpError);
          return;
        }
        expect(ours).toEqual(JSON.parse(text));
      }),
      { numRuns: 5000 },
    );
  });
});

function wide(keys: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i])));
}
