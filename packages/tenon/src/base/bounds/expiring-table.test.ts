import { expect, test } from "vitest";
import { ExpiringTable } from "./expiring-table.ts";

function table(max = 10_000): { clock: { now: number }; entries: ExpiringTable<number> } {
  const clock = { now: 0 };
  return { clock, entries: new ExpiringTable({ full: () => new Error("full"), max, now: () => clock.now }) };
}

test("an entry is there until its lifetime is over, and once where it is taken or claimed", () => {
  const { clock, entries } = table();
  entries.set("a", 1, 10);
  expect(entries.claim("a", 2, 10)).toBe(false);
  clock.now = 9;
  expect(entries.get("a")).toBe(1);
  clock.now = 10;
  expect(entries.get("a")).toBeUndefined();
  expect(entries.claim("a", 3, 10)).toBe(true);
  expect(entries.take("a")).toBe(3);
  expect(entries.take("a")).toBeUndefined();
});

test("what is full refuses the new, keeps what lives, and makes room when something has expired [rule R5]", () => {
  const { clock, entries } = table();
  for (let i = 0; i < 10_000; i++) entries.set(`${i}`, i, i === 0 ? 10 : 5_000);
  expect(() => entries.set("one more", 0, 10)).toThrow("full");
  expect([entries.get("0"), entries.get("9999")]).toEqual([0, 9_999]);
  clock.now = 1_000; // the search for what has expired runs once a second
  entries.set("one more", 1, 10);
  expect([entries.get("0"), entries.get("one more"), entries.get("9999")]).toEqual([undefined, 1, 9_999]);
});

test("an owner has half of the room at most, and the room of what it replaces or took is free again", () => {
  const { entries } = table(10);
  entries.set("a", 1, 1_000, { owner: "ada", size: 5 });
  expect(() => entries.set("b", 2, 1_000, { owner: "ada" })).toThrow("full");
  entries.set("c", 3, 1_000, { owner: "bob", size: 5 });
  expect(() => entries.set("d", 4, 1_000)).toThrow("full");
  entries.set("a", 5, 1_000, { owner: "ada", size: 4 });
  entries.set("b", 2, 1_000, { owner: "ada" });
  expect(entries.take("a")).toBe(5);
  entries.set("d", 4, 1_000, { size: 4 });
  expect(["a", "b", "c", "d"].map((key) => entries.get(key))).toEqual([undefined, 2, 3, 4]);
});
