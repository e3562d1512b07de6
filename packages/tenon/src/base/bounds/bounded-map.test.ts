import { describe, expect, test } from "vitest";
import { BoundedMap } from "./bounded-map.ts";

describe("a map with a bounded number of entries", () => {
  test("one more drops the oldest, which is passed to the callback", () => {
    const dropped: [string, number][] = [];
    const map = new BoundedMap<string, number>(2, (value, key) => dropped.push([key, value]));
    for (const [at, key] of ["a", "b", "c"].entries()) map.set(key, at);
    expect([...map]).toEqual([
      ["b", 1],
      ["c", 2],
    ]);
    expect(dropped).toEqual([["a", 0]]);
  });

  test("an entry that is set again is the newest", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.set("a", 3);
    map.set("c", 4);
    expect([...map.keys()]).toEqual(["a", "c"]);
    expect(map.get("a")).toBe(3);
    expect([map.has("b"), map.size]).toEqual([false, 2]);
  });

  test("what was deleted takes no room", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1);
    map.set("b", 2);
    expect([map.delete("a"), map.delete("a")]).toEqual([true, false]);
    map.set("c", 3);
    expect([...map.values()]).toEqual([2, 3]);
    map.clear();
    expect(map.size).toBe(0);
  });

  test("without room it keeps nothing", () => {
    const map = new BoundedMap<string, number>(0);
    map.set("a", 1);
    expect(map.size).toBe(0);
  });
});
