import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { MemoryStateStore } from "./memory-state-store.ts";

test("expired entries are not kept until their room is needed [rule R5]", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  // Twice: what other files of this process left behind may go with the second collection only.
  const megabytes = (): number => (collectGarbage(), collectGarbage(), process.memoryUsage().heapUsed / 2 ** 20);
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const store = new MemoryStateStore();
    const before = megabytes();
    for (let n = 0; n < 20; n++) store.put(`old ${n}`, Buffer.alloc(2 ** 19, n).toString("latin1"), 600_000);
    expect(megabytes() - before).toBeGreaterThan(5);
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

test("a replacement without room is refused, and the entry that lives stays [rule R5]", () => {
  const store = new MemoryStateStore({ maxSize: 6_000 });
  for (const key of ["a1", "b1"]) store.put(key, "x".repeat(900), 60_000, key);
  for (const tooLong of [2_950, 5_000])
    expect(() => store.put("a1", "y".repeat(tooLong), 60_000, "a1")).toThrow(/MemoryStateStore\.maxSize/);
  expect(store.get("a1")).toBe("x".repeat(900));
  store.put("a1", "z".repeat(1_900), 60_000, "a1"); // within the share, because what it replaces does not count
  expect(store.get("a1")).toBe("z".repeat(1_900));
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

test("without owners all the room can be used, to the last character, and no entry has a share [rule R5]", () => {
  const store = new MemoryStateStore({ maxSize: 2_000 });
  store.put("a", "x".repeat(1_000 - 128), 60_000);
  store.put("b", "x".repeat(1_000 - 128), 60_000);
  expect(() => store.put("c", "", 60_000)).toThrow(/MemoryStateStore\.maxSize/);
  const shared = new MemoryStateStore({ maxSize: 2_000 });
  shared.put("a", "x".repeat(1_000 - 128), 60_000, "ada");
  expect(() => shared.put("b", "", 60_000, "ada")).toThrow(/MemoryStateStore\.maxSize/);
  expect(() => new MemoryStateStore({ maxSize: 1_999 }).put("a", "x".repeat(1_000 - 128), 60_000, "ada")).toThrow(
    /MemoryStateStore\.maxSize/,
  );
});

test("an entry counts until exactly its time, on the clock of the options, also if it was added again [rule R5]", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStateStore({ clock, maxClaims: 2 });
  store.put("a", "one", 1_500);
  expect(store.claim("c", 1_500)).toBe(true);
  await clock.advance(1_499);
  expect([store.get("a"), store.claim("c", 1_500)]).toEqual(["one", false]);
  store.put("a", "two", 10_000);
  await clock.advance(1);
  expect(store.claim("c", 600)).toBe(true);
  await clock.advance(501); // the second of the first entries is over
  expect(store.claim("d", 10_000)).toBe(true);
  expect(store.get("a")).toBe("two");
  expect(() => store.claim("e", 1_000)).toThrow(/MemoryStateStore\.maxClaims/);
  await clock.advance(1_000);
  expect(store.claim("e", 1_000)).toBe(true);
});

test("its limits are numbers above zero, and another option is refused by name", () => {
  for (const name of ["maxSize", "maxClaims"]) {
    for (const wrong of [0, -1, Number.NaN]) {
      expect(() => new MemoryStateStore({ [name]: wrong })).toThrow(
        new RangeError(`Option "${name}" must be a number >= 1, not ${wrong}`),
      );
    }
    expect(() => new MemoryStateStore({ [name]: 1 })).not.toThrow();
  }
  expect(() => new MemoryStateStore({ maxsize: 1 } as never)).toThrow(/new MemoryStateStore\(\)/);
});
