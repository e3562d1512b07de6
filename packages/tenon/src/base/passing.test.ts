import { expect, it } from "vitest";
import { PassingMap, PassingSet } from "./passing.ts";

it("keeps its entries and their order while any number pass through", () => {
  const map = new PassingMap<number, string>();
  for (let key = 0; key < 10_000; key++) {
    map.set(key, `entry ${key}`);
    if (key >= 100) expect(map.delete(key - 100)).toBe(true);
  }
  expect(map.size).toBe(100);
  expect([...map.values()]).toEqual(Array.from({ length: 100 }, (_, n) => `entry ${9_900 + n}`));
  expect([map.get(9_899), map.get(9_900), map.has(9_999), map.has(0), map.delete(0)]).toEqual([
    undefined,
    "entry 9900",
    true,
    false,
    false,
  ]);
});

it("a set has each item once, and loses what is deleted while it is read", () => {
  const set = new PassingSet<number>();
  for (const item of [1, 2, 3, 2, 1]) set.add(item);
  const read: number[] = [];
  for (const item of set) {
    read.push(item);
    set.delete(2);
  }
  expect(read).toEqual([1, 3]);
  expect(set.size).toBe(2);
});
