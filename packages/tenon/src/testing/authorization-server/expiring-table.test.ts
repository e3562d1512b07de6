import { expect, test } from "vitest";
import { ExpiringTable } from "./expiring-table.ts";
import { OAuthError } from "./oauth-error.ts";

function table(): { clock: { now: number }; entries: ExpiringTable<number> } {
  const clock = { now: 0 };
  return { clock, entries: new ExpiringTable(() => clock.now) };
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
  for (let i = 0; i < 10_000; i++) entries.set(`${i}`, i, i === 0 ? 10 : 1_000);
  expect(() => entries.set("one more", 0, 10)).toThrow(OAuthError);
  expect([entries.get("0"), entries.get("9999")]).toEqual([0, 9_999]);
  clock.now = 10;
  entries.set("one more", 1, 10);
  expect([entries.get("0"), entries.get("one more"), entries.get("9999")]).toEqual([undefined, 1, 9_999]);
});
