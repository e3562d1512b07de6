import { afterEach, expect, test, vi } from "vitest";
import { bearerToken } from "../../auth/index.ts";
import type { Fetch } from "./fetch.ts";
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
  const signer = bearerToken("secret-3");
  const otherSigner = bearerToken("secret-3");
  const toOneSocket: Fetch = () => Promise.reject(new Error("not asked"));
  const toAnother: Fetch = () => Promise.reject(new Error("not asked"));
  const keys = [
    familyKey(url, {}),
    familyKey(url, { headers: { authorization: "Bearer secret-1" } }),
    familyKey(url, { headers: { authorization: "Bearer secret-2" } }),
    familyKey(url, { headers: one }),
    familyKey(url, { headers: other }),
    familyKey(new URL("https://a.example/other"), {}),
    familyKey(new URL("https://b.example/mcp"), {}),
    familyKey(new URL("https://a.example/mcp?tenant=1"), {}),
    familyKey(url, { auth: signer }),
    familyKey(url, { auth: otherSigner }),
    familyKey(url, { fetch: toOneSocket }),
    familyKey(url, { fetch: toAnother }),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  expect(familyKey(url, { headers: { authorization: "Bearer secret-1" } })).toBe(keys[1]);
  expect(familyKey(url, { headers: one })).toBe(keys[3]);
  expect(familyKey(url, { auth: signer })).toBe(keys[8]);
  expect(familyKey(url, { fetch: toOneSocket })).toBe(keys[10]);
  expect(keys.join()).not.toContain("secret");
});

test("only so many are kept, the newest ones [rule R5]", () => {
  for (let index = 0; index <= 1_000; index++) knownFamilies.set(`key ${index}`, "stateful");
  expect(knownFamilies.get("key 0")).toBeUndefined();
  expect(knownFamilies.get("key 1")).toBe("stateful");
  expect(knownFamilies.get("key 1000")).toBe("stateful");
  knownFamilies.set("key 1", "sse");
  knownFamilies.set("key 1001", "stateful");
  expect([knownFamilies.get("key 1"), knownFamilies.get("key 2"), knownFamilies.get("key 3")]).toEqual([
    "sse",
    undefined,
    "stateful",
  ]);
});

test("the key of a caller differs from one process to the next [R21]", async () => {
  const keyInNewProcess = async (): Promise<string> => {
    vi.resetModules();
    const module = await import("./known-families.ts");
    return module.familyKey(new URL("https://a.example/mcp"), { headers: { authorization: "Bearer secret" } });
  };
  expect(await keyInNewProcess()).not.toBe(await keyInNewProcess());
});
