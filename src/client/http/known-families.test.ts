import { afterEach, expect, test, vi } from "vitest";
import { forgetVerdict, rememberVerdict, verdictKey, verdictOn } from "./known-families.ts";

afterEach(() => vi.useRealTimers());

test("B2.8 a verdict expires after ten minutes, and can be forgotten before", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  rememberVerdict("a", "stateful");
  rememberVerdict("b", "sse");
  vi.advanceTimersByTime(599_000);
  expect([verdictOn("a"), verdictOn("b"), verdictOn("c")]).toEqual(["stateful", "sse", undefined]);
  forgetVerdict("b");
  expect(verdictOn("b")).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect(verdictOn("a")).toBeUndefined();
});

test("B2.8 J8 R21 it belongs to one endpoint and one caller, and shows nothing of its headers", () => {
  const url = new URL("https://a.example/mcp");
  const one = (): { [name: string]: string } => ({});
  const other = (): { [name: string]: string } => ({});
  const keys = [
    verdictKey(url, undefined),
    verdictKey(url, { authorization: "Bearer secret-1" }),
    verdictKey(url, { authorization: "Bearer secret-2" }),
    verdictKey(url, one),
    verdictKey(url, other),
    verdictKey(new URL("https://a.example/other"), undefined),
    verdictKey(new URL("https://b.example/mcp"), undefined),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(verdictKey(url, { authorization: "Bearer secret-1" })).toBe(keys[1]);
  expect(verdictKey(url, one)).toBe(keys[3]);
  expect(keys.join()).not.toContain("secret");
});

test("R6 only so many are kept, the newest ones", () => {
  for (let index = 0; index <= 1_000; index++) rememberVerdict(`key ${index}`, "stateful");
  expect(verdictOn("key 0")).toBeUndefined();
  expect(verdictOn("key 1000")).toBe("stateful");
});
