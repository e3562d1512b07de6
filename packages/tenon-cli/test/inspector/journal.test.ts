/** What the inspector's journal keeps, and how many entries a tab is told to have missed. */
import { expect, test } from "vitest";
import type { Entry } from "../../src/inspector/entries.ts";
import { Journal } from "../../src/inspector/server/journal.ts";

const entry = { kind: "list" } as unknown as Entry; // a journal looks at no member

test("a tab learns exactly how many entries it has missed, when the oldest are dropped for their size", () => {
  const journal = new Journal();
  const whole = "x".repeat(64 * 1024 * 1024);
  for (let at = 0; at < 8; at++) journal.add(entry, undefined, whole);
  // Three and their lines are less than 256 Mi characters, four are more.
  const lost = [1, 2, 3, 4, 5];
  for (const seq of lost) expect(journal.find(seq)).toBeUndefined();
  expect(journal.find(6)?.seq).toBe(6);
  expect([1, 2, 4, 5, 6, 8].map((after) => journal.missedAfter(after))).toEqual([4, 3, 1, 0, 0, 0]);
  expect(journal.missedAfter(0)).toBe(0); // a new tab has missed nothing
});

test("a tab learns what it has missed, also while an entry of more than all characters leaves none", () => {
  const journal = new Journal();
  for (let at = 0; at < 2; at++) journal.add(entry);
  journal.add(entry, undefined, "x".repeat(257 * 1024 * 1024));
  expect(journal.find(3)).toBeUndefined();
  expect([0, 1, 2, 3].map((after) => journal.missedAfter(after))).toEqual([0, 2, 1, 0]);
});

test("a tab has missed nothing while nothing was dropped", () => {
  const journal = new Journal();
  expect(journal.missedAfter(3)).toBe(0); // of a process before this one
  journal.add(entry, "a");
  journal.add(entry);
  expect([0, 1, 2].map((after) => journal.missedAfter(after))).toEqual([0, 0, 0]);
});

test("the newest 220,000 entries are kept, however many came before", () => {
  const journal = new Journal();
  for (let at = 0; at < 450_000; at++) journal.add(entry);
  expect([229_999, 230_000, 230_001, 450_000].map((seq) => journal.find(seq)?.seq)).toEqual([
    undefined,
    undefined,
    230_001,
    450_000,
  ]);
  expect(journal.missedAfter(229_000)).toBe(1_000);
});
