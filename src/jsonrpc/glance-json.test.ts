import { describe, expect, it } from "vitest";
import { membersAtMost } from "./glance-json.ts";
import { DEFAULT_JSON_LIMITS } from "./json-limits.ts";

const atMost = (text: string, limits = {}): number | undefined => membersAtMost(text, { ...DEFAULT_JSON_LIMITS, ...limits });

describe("membersAtMost", () => {
  it("F8 is sure of small messages, and counts the colons in their strings", () => {
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
  ])("F8 is not sure where %s could be exceeded", (_, sure, unsure) => {
    expect(atMost(sure)).toBeTypeOf("number");
    expect(atMost(unsure)).toBeUndefined();
  });
});
