import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, isSameJson } from "./json-values.ts";

/** What it must equal, member by member. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, sorted(member)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Names of digits come first in every object, whatever their order: they are left out of the comparison, not of the rule.
const key = fc.string().filter((name) => !/^\d+$/.test(name));
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 0 }),
    fc.constant(undefined),
    fc.array(tie("value")),
    fc.dictionary(key, tie("value")),
  ),
})).value;

test("canonical JSON is JSON with sorted members, whatever order they came in", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(value)).toBe(JSON.stringify(sorted(value)) ?? "null");
    }),
  );
  expect(canonicalJson({ b: 1, a: { d: new Date(0), c: [() => 1] } })).toBe(
    '{"a":{"c":[null],"d":"1970-01-01T00:00:00.000Z"},"b":1}',
  );
});

test("equality ignores the order of members, and distinguishes types, lengths and own members", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => isSameJson(value, structuredClone(value))));
  expect(isSameJson({ a: 1, b: [{}] }, { b: [{}], a: 1.0 })).toBe(true);
  const different: [unknown, unknown][] = [
    [1, true],
    [0, null],
    [{}, []],
    [[1], [1, 2]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ toString: 1 }, {}],
    [{ a: 1 }, { constructor: 1 }],
    [{ constructor: Object }, {}],
  ];
  for (const [a, b] of different) expect([isSameJson(a, b), isSameJson(b, a)], JSON.stringify([a, b])).toEqual([false, false]);
});

test("each pair of values that are not the same one is paid for", () => {
  let steps = 0;
  const budget = { spend: (more: number): void => void (steps += more) };
  isSameJson([{}, 1], [{}, 1], budget);
  expect(steps).toBe(8);
});
