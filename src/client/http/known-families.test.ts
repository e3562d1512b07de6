import { afterEach, expect, test, vi } from "vitest";
import { familyKey, knownFamilies } from "./known-families.ts";

afterEach(() => vi.useRealTimers());

test("a verdict expires after ten minutes, and can be forgotten before [B2.8]", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  knownFamilies.set("a", "stateful");
  knownFamilies.set("b", "sse");
  vi.advanceTimersByTime(599_000);
  expect([knownFamilies.get("a"), knownFamilies.get("b"), knownFamilies.get("c")]).toEqual(["stateful", "sse", undefined]);
  knownFamilies.delete("b");
  expect(knownFamilies.get("b")).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect(knownFamilies.get("a")).toBeUndefined();
});

test("it belongs to one endpoint and one caller, and shows nothing of its headers [B2.8 J8 R21]", () => {
  const url = new URL("https://a.example/mcp");
  const one = (): { [name: string]: string } => ({});
  const other = (): { [name: string]: string } => ({});
  const keys = [
    familyKey(url, undefined),
    familyKey(url, { authorization: "Bearer secret-1" }),
    familyKey(url, { authorization: "Bearer secret-2" }),
    familyKey(url, one),
    familyKey(url, other),
    familyKey(new URL("https://a.example/other"), undefined),
    familyKey(new URL("https://b.example/mcp"), undefined),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(familyKey(url, { authorization: "Bearer secret-1" })).toBe(keys[1]);
  expect(familyKey(url, one)).toBe(keys[3]);
  expect(keys.join()).not.toContain("secret");
});

test("only so many are kept, the newest ones [rule R5]", () => {
  for (let index = 0; index <= 1_000; index++) knownFamilies.set(`key ${index}`, "stateful");
  expect(knownFamilies.get("key 0")).toBeUndefined();
  expect(knownFamilies.get("key 1000")).toBe("stateful");
});
