import { describe, expect, test } from "vitest";
import { waits, type Waits } from "./waits.ts";

const take = (pauses: Waits, count: number): number[] => Array.from({ length: count }, () => pauses.next());

describe("the waits between attempts", () => {
  test("they double from the first to the longest", () => {
    expect(take(waits({ first: 50, longest: 300, jitter: 0 }), 5)).toEqual([50, 100, 200, 300, 300]);
  });

  test("after a reset they begin again", () => {
    const pauses = waits({ first: 50, longest: 300, jitter: 0 });
    take(pauses, 4);
    expect(pauses.count).toBe(4);
    pauses.reset();
    expect(pauses.count).toBe(0);
    expect(take(pauses, 2)).toEqual([50, 100]);
  });

  test("a random part is taken off each, and none is longer than the longest", () => {
    const rows = Array.from({ length: 200 }, () => take(waits({ first: 100, longest: 1_000, jitter: 0.5 }), 6));
    for (const row of rows)
      row.forEach((wait, at) => {
        const full = Math.min(100 * 2 ** at, 1_000);
        expect(wait).toBeLessThanOrEqual(full);
        expect(wait).toBeGreaterThanOrEqual(full / 2);
      });
    expect(new Set(rows.map((row) => row[5])).size).toBeGreaterThan(100);
  });

  test("after thousands of attempts a wait is still the longest", () => {
    const pauses = waits({ first: 100, longest: 30_000, jitter: 0 });
    expect(take(pauses, 5_000).at(-1)).toBe(30_000);
  });
});
