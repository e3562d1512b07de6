/** Numbers that JavaScript cannot hold keep their digits from a text to the next one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson } from "./clone-json.ts";
import { exactText, replaceInexact, stringifyExact } from "./exact-numbers.ts";
import { DEFAULT_JSON_LIMITS } from "./json-limits.ts";
import { hasLongNumber, parseJson } from "./parse-json.ts";
import { stringifyMessage } from "./serialise.ts";

const ID = "1234567890123456789";

describe("a text that is parsed and written again", () => {
  it.each([
    `{"id":${ID}}`,
    `{"id":-${ID},"ids":[1,${ID},[${ID}],{"a":${ID}}]}`,
    `[${ID}]`,
    `{"n":0.12345678901234567890,"big":123456789012345678901234567890,"e":12345678901234567e-1}`,
    `{"s":"${ID}","id":${ID},"t":"a\\"${ID}"}`,
    `{"__proto__":${ID},"toString":${ID}}`,
    `{"max":9223372036854775807,"min":-9223372036854775808,"u":18446744073709551615}`,
  ])("does not change: %s", (text) => {
    expect(stringifyExact(parseJson(text))).toBe(text);
    expect(stringifyExact(cloneJson(parseJson(text)))).toBe(text);
    expect(stringifyMessage({ jsonrpc: "2.0", id: 1, result: { value: parseJson(text) } })).toContain(text);
    expect(stringifyMessage({ jsonrpc: "2.0", method: "m", params: { value: parseJson(text) } })).toContain(text);
  });

  it("is a number for programs", () => {
    const value = parseJson(`{"id":${ID},"list":[${ID}]}`) as { id: number; list: number[] };
    expect(value).toEqual({ id: Number(ID), list: [Number(ID)] });
    expect(Object.keys(value)).toEqual(["id", "list"]);
    expect(JSON.parse(JSON.stringify(value))).toEqual({ id: Number(ID), list: [Number(ID)] });
    expect({ ...value }).toEqual({ id: Number(ID), list: [Number(ID)] });
  });

  it("has the new number if a program changed it", () => {
    const value = parseJson(`{"id":${ID},"other":${ID}}`) as { id: number };
    value.id = 5;
    expect(stringifyExact(value)).toBe(`{"id":5,"other":${ID}}`);
    expect([exactText(value, "id"), exactText(value, "other")]).toEqual([undefined, ID]);
  });
});

it.each([ID, `-${ID}`, "9007199254740993", "0.12345678901234567", "12345678901234567e3"])(
  "keeps %s in a text that is too long for a quick look",
  (number) => {
    const text = `{"text":"${"x".repeat(DEFAULT_JSON_LIMITS.nodes)}","list":[1,${number}]}`;
    expect(stringifyExact(parseJson(text))).toBe(text);
  },
);

it("finds 16 digits in a row wherever they begin", () => {
  for (let before = 0; before < 40; before++) {
    for (const digits of [15, 16, 17, 40]) {
      const text = `${"x".repeat(before)}${"7".repeat(digits)}y`;
      expect([text, hasLongNumber(text)]).toEqual([text, digits >= 16]);
    }
  }
});

it("writes any JSON as JSON.stringify does, if its numbers are exact", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(stringifyExact(parseJson(text)))).toEqual(JSON.parse(text));
    }),
  );
});

it("replaces numbers that are not exact, and says where they are", () => {
  const places: string[] = [];
  const value = parseJson(`{"id":${ID},"ok":1,"in":[{"id":${ID}}]}`);
  expect(replaceInexact(value, (text, path) => (places.push(path.join(".")), text))).toEqual({ id: ID, ok: 1, in: [{ id: ID }] });
  expect(places).toEqual(["id", "in.0.id"]);
  const exact = { a: [1, { b: 2 ** 53 - 1 }], c: 1.5 };
  expect(replaceInexact(exact, () => 0)).toBe(exact);
  expect(replaceInexact({ a: 2 ** 53 }, (text) => text ?? "unknown")).toEqual({ a: "unknown" });
});
