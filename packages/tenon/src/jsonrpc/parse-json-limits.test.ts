import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_JSON_LIMITS } from "./json-limits.ts";
import { membersAtMost, scanJson } from "./parse-json.ts";

const loose = { ...DEFAULT_JSON_LIMITS, depth: Infinity, nodes: Infinity, numberLength: Infinity };

/** How many characters are read while `text` is scanned. Counted, since a clock would measure the machine. */
function reads(text: string): number {
  let count = 0;
  const counting: Pick<string, "length" | "charCodeAt" | "indexOf"> = {
    length: text.length,
    charCodeAt(index: number): number {
      count++;
      return text.charCodeAt(index);
    },
    indexOf(wanted: string, from: number): number {
      const found = text.indexOf(wanted, from);
      count += (found < 0 ? text.length : found) - from;
      return found;
    },
  };
  // These three are all that the scan uses of a string; with anything else it would throw here.
  scanJson(counting as string, loose);
  return count;
}

describe("scanJson", () => {
  it.each<[string, string]>([
    ["a long string", `["${"x".repeat(100_000)}"]`],
    ["escaped quotes", `["${'\\"'.repeat(100_000)}"]`],
    ["backslashes", `["${"\\\\".repeat(100_000)}"]`],
    ["runs of backslashes before quotes", `["${("\\".repeat(201) + '"').repeat(500)}"]`],
    ["strings of backslashes that never end", `["${"\\".repeat(100_001)}`],
    ["an unclosed string", `["${'\\"'.repeat(100_000)}`],
    ["many unclosed strings", '["'.repeat(100_000)],
    ["white space", `[${" ".repeat(100_000)}]`],
    ["short strings", `[${'"",'.repeat(30_000)}""]`],
    ["short numbers", `[${"1,".repeat(30_000)}1]`],
    ["brackets", "[".repeat(50_000) + "]".repeat(50_000)],
  ])("looks at no character more than a few times: %s [R9 F6]", (_, text) => {
    expect(reads(text)).toBeLessThanOrEqual(3 * text.length + 50);
  });

  it("nor in any other text [R9 F6]", () => {
    const run = fc
      .tuple(fc.constantFrom("\\", '"', "\\\\", '\\"', "x", "1", "[", '{"', ":"), fc.nat(60))
      .map(([part, times]) => part.repeat(times));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        expect(reads(text)).toBeLessThanOrEqual(3 * text.length + 50);
      }),
      { numRuns: 3000 },
    );
  });
});

const atMost = (text: string, limits = {}): number | undefined => membersAtMost(text, { ...DEFAULT_JSON_LIMITS, ...limits });

describe("membersAtMost", () => {
  it("is sure of small messages, and counts the colons in their strings [F8]", () => {
    expect(atMost('{"jsonrpc":"2.0","id":1,"method":"m","params":{"at":"12:30","list":[1,[2]]}}')).toBe(7);
    expect(atMost("[]")).toBe(0);
    expect(atMost("1")).toBe(0);
  });

  it.each([
    ["depth", "[".repeat(63), "[".repeat(64)],
    ["depth", '{"a":'.repeat(62) + "[", '{"a":'.repeat(63) + "["],
    ["numberLength", `[${"1".repeat(61)}]`, `[${"1".repeat(65)}]`],
    ["numberLength", `{"a":${"1".repeat(62)}:`, `{"a":${"1".repeat(65)}:`],
    ["nodes", `[${":".repeat(8)}]`, " ".repeat(100_001)],
  ])("is not sure where %s could be exceeded [F8]", (_, sure, unsure) => {
    expect(atMost(sure)).toBeTypeOf("number");
    expect(atMost(unsure)).toBeUndefined();
  });
});
