import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { estimateSize, PatternSet } from "./pattern.ts";
import { defaultSchemaLimits } from "./schema-limits.ts";

const limits = { ...defaultSchemaLimits, patternSize: Number.MAX_SAFE_INTEGER };

describe("patterns in linear time [R9]", () => {
  it.each([
    ["^a/b$", "a/b", true],
    ["^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$", "a@b.co", true],
    ["^(?<year>\\d{4})-\\d\\d$", "2026-11", true],
    ["^\\u00e9\\u{1F600}$", "é😀", true],
    ["^.$", "😀", true],
    ["\\p{L}\\P{L}", "a1", true],
    ["^\\cA$", "\u0001", true],
    ["b", "abc", true],
    ["a$", "a\n", false],
    ["^[^]$", "\n", true],
    ["^\\d$", "٣", false],
    ["[]", "a", false],
  ])("%s on %j: %s, as the platform says", (source, text, expected) => {
    expect(new PatternSet(limits).get(source, "").test(text)).toBe(expected);
    expect(new RegExp(source, "u").test(text)).toBe(expected);
  });

  it("runs look-ahead at the start, as the platform does", () => {
    const ahead = fc
      .tuple(fc.constantFrom("(?=", "(?!"), fc.constantFrom("a", ".*b", "[)(]", "a|b", ".{3}$", "(?:a|\\))+b", "$"))
      .map(([open, inner]) => `${open}${inner})`);
    const pattern = fc
      .tuple(fc.array(ahead, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "[ab]*$", ".", "(a|b)+", "a?"))
      .map(([aheads, rest]) => `^${aheads.join("")}${rest}`);
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", "(", ")"), maxLength: 5 }), (source, text) => {
        expect(new PatternSet(limits).get(source, "").test(text), source).toBe(new RegExp(source, "u").test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    "(?=a)a",
    "^a(?=b)",
    "^(?=a)b|c",
    "^(?=a)*b",
    "^(?=a(?=b))",
    "^(?=a)+",
    "^(?=a",
    "(?<=a)b",
    "(a)\\1",
    "a(?!b)",
    "^(?=(a))\\1",
  ])("refuses %s", (source) => {
    expect(() => new PatternSet(limits).get(source, "/pattern")).toThrow(/Invalid schema at \/pattern: .* linear time/);
  });

  it.each([
    ["e-mail", z.email(), ["a.b@example.org"], [".a@example.org", "a..b@example.org", "a"]],
    ["host name", z.hostname(), ["www.example.org"], ["-a.example", "a".repeat(300)]],
    ["date and time", z.iso.datetime(), ["2026-07-28T12:00:00Z"], ["2026-02-30T12:00:00Z"]],
    ["UUID", z.uuid(), ["0190163d-8694-739b-aea5-966c26f8ad91"], ["0190163d"]],
    ["IPv4", z.ipv4(), ["127.0.0.1"], ["256.0.0.1"]],
    ["URL-safe base64", z.base64url(), ["AP-A"], ["AP+A"]],
  ])("zod's %s", (_name, schema, good, bad) => {
    const { pattern } = z.toJSONSchema(schema);
    const compiled = new PatternSet(defaultSchemaLimits).get(pattern ?? "", "");
    for (const text of good) expect(compiled.test(text), text).toBe(true);
    for (const text of bad) expect(compiled.test(text), text).toBe(false);
  });

  it("agrees with the platform on the patterns both run", () => {
    const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "(?:ab|b)", "(a)");
    const pattern = fc
      .array(fc.tuple(atom, fc.constantFrom("", "*", "+", "?", "{2}", "{1,2}", "{0,}")), { maxLength: 4 })
      .chain((pieces) =>
        fc
          .constantFrom(["", ""], ["^", ""], ["", "$"], ["^", "$"])
          .map(([head, tail]) => `${head}${pieces.map((piece) => piece.join("")).join("")}${tail}`),
      );
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", "1", "-", "\n") }), (source, text) => {
        expect(new PatternSet(limits).get(source, "").test(text), source).toBe(new RegExp(source, "u").test(text));
      }),
      { numRuns: 500 },
    );
  });

  it("compiles a text once, and counts it once", () => {
    const patterns = new PatternSet({ ...limits, patternSize: 100 });
    const first = patterns.get("a", "");
    for (let i = 0; i < 10; i++) expect(patterns.get("a", "")).toBe(first);
    expect(patterns.get("b", "").test("b")).toBe(true);
    expect(() => patterns.get("c", "")).toThrow('Limit "patternSize" of 100 exceeded');
  });

  it("estimates no pattern smaller than half of what it compiles to", () => {
    const counted = fc
      .tuple(
        fc.constantFrom("a", "[ab]", "\\p{L}", "\\u{61}", ".", "\\{"),
        fc.constantFrom("", "{9}", "{2,30}", "{5,}", "?", "*", "+"),
      )
      .map(([atom, count]) => atom + count);
    const group = fc
      .tuple(fc.array(counted, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "{3}", "{1,20}", "*"))
      .map(([atoms, count]) => `(${atoms.join("")})${count}`);
    fc.assert(
      fc.property(fc.array(fc.oneof(counted, group), { minLength: 1, maxLength: 3 }), (pieces) => {
        const source = pieces.join("|");
        expect(estimateSize(source) * 2 + 40, source).toBeGreaterThanOrEqual(new PatternSet(limits).get(source, "").size);
      }),
      { numRuns: 500 },
    );
    expect(estimateSize("\\u{1000}")).toBe(1);
    expect(estimateSize("(a{100}){10}")).toBeGreaterThan(1_000);
  });
});
