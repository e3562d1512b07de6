import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { MemoryStateStore } from "./memory-state-store.ts";

test("expired entries are not kept until their room is needed [rule R5]", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const megabytes = (): number => (collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20);
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const store = new MemoryStateStore();
    const before = megabytes();
    for (let n = 0; n < 20; n++) store.put(`old ${n}`, Buffer.alloc(2 ** 19, n).toString("latin1"), 600_000);
    expect(megabytes() - before).toBeGreaterThan(9);
    vi.setSystemTime(599_999);
    store.put("new", "value", 600_000);
    expect(store.get("old 0")).toHaveLength(2 ** 19);
    vi.setSystemTime(600_000);
    store.put("newer", "value", 600_000);
    expect(megabytes() - before).toBeLessThan(2);
    expect([store.get("old 19"), store.get("new"), store.get("newer")]).toEqual([undefined, "value", "value"]);
  } finally {
    vi.useRealTimers();
  }
});

test("what has no room is refused, and one caller never takes more than half of it [rule R5]", () => {
  const entry = "x".repeat(900); // counted with what an entry costs beside its value
  const store = new MemoryStateStore({ maxSize: 6_000 });
  store.put("a1", entry, 60_000, "ada");
  store.put("a2", entry, 60_000, "ada");
  expect(() => store.put("a3", entry, 60_000, "ada")).toThrow(/MemoryStateStore\.maxSize/);
  store.put("b1", entry, 60_000, "bob");
  store.put("b2", entry, 60_000, "bob");
  store.put("c1", entry, 60_000, "cy");
  expect(() => store.put("d1", entry, 60_000, "dee")).toThrow(/Limit "MemoryStateStore\.maxSize" of 6000 exceeded/);
  expect(["a1", "a2", "b1", "b2", "c1"].map((key) => store.get(key)?.length)).toEqual([900, 900, 900, 900, 900]);
});

test("a claim is made once, and claims have a limit too [rule R5]", () => {
  const store = new MemoryStateStore({ maxClaims: 4 });
  expect([store.claim("one", 60_000, "ada"), store.claim("one", 60_000, "bob")]).toEqual([true, false]);
  expect(store.claim("two", 60_000, "ada")).toBe(true);
  expect(() => store.claim("three", 60_000, "ada")).toThrow(/MemoryStateStore\.maxClaims/);
  expect(store.claim("three", 60_000, "bob")).toBe(true);
});

test("the share of a caller is free again when its entries have expired or were replaced [rule R5]", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const store = new MemoryStateStore({ maxSize: 6_000 });
    const entry = "x".repeat(900);
    for (let replaced = 0; replaced < 5; replaced++) store.put("a1", entry, 1_000, "ada");
    store.put("a2", entry, 2_000, "ada");
    expect(() => store.put("a3", entry, 1_000, "ada")).toThrow(/MemoryStateStore\.maxSize/);
    vi.setSystemTime(1_000); // one of two has expired
    store.put("a3", entry, 2_000, "ada");
    expect(() => store.put("a4", entry, 1_000, "ada")).toThrow(/MemoryStateStore\.maxSize/);
    vi.setSystemTime(3_000);
    for (const key of ["a4", "a5"]) store.put(key, entry, 1_000, "ada");
    expect(() => store.put("a6", entry, 1_000, "ada")).toThrow(/MemoryStateStore\.maxSize/);
  } finally {
    vi.useRealTimers();
  }
});
