import fc from "fast-check";
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

  test("the oldest goes first, whatever was set again, deleted or cleared before", () => {
    const operation = fc.record({ kind: fc.constantFrom("set", "set", "set", "delete", "clear"), key: fc.nat(12) });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 6 }), fc.array(operation, { maxLength: 200 }), (max, operations) => {
        const dropped: number[] = [];
        const map = new BoundedMap<number, number>(max, (_value, key) => dropped.push(key));
        let keys: number[] = [];
        const gone: number[] = [];
        for (const { kind, key } of operations) {
          if (kind === "clear") map.clear();
          else if (kind === "delete") map.delete(key);
          else map.set(key, key);
          keys = kind === "clear" ? [] : keys.filter((one) => one !== key);
          if (kind === "set") keys.push(key);
          if (keys.length > max) gone.push(keys.shift()!);
        }
        expect([...map.keys()]).toEqual(keys);
        expect(dropped).toEqual(gone);
      }),
    );
  });

  test("without room it keeps nothing", () => {
    const map = new BoundedMap<string, number>(0);
    map.set("a", 1);
    expect(map.size).toBe(0);
  });
});
