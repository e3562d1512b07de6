/** Options that are numbers: what is not given has its default, and what is out of range names its option. */
import { expect, test } from "vitest";
import { assertKnown } from "./known-options.ts";
import { withPresets, type NumberTable } from "./number-options.ts";

interface Limits {
  max: number;
  idle: number;
  kept: number;
}
const TABLE: NumberTable<Limits> = { max: [8, 1], idle: [1_000, 0, "ms"], kept: [5, 0] };

test("what is given counts, and the rest has its default", () => {
  expect(withPresets(TABLE)).toEqual({ max: 8, idle: 1_000, kept: 5 });
  expect(withPresets(TABLE, { idle: Infinity, kept: 0, other: 1 } as Partial<Limits>)).toEqual({
    max: 8,
    idle: Infinity,
    kept: 0,
  });
});

test.each<[object, string]>([
  [{ max: 0 }, 'Option "limits.max" must be a number >= 1, not 0'],
  [{ max: "9" }, 'Option "limits.max" must be a number >= 1, not "9"'],
  [{ max: NaN }, 'Option "limits.max" must be a number >= 1, not NaN'],
  [{ idle: -1 }, 'Option "limits.idle" must be a number of milliseconds >= 0 or Infinity, not -1'],
])("%o is refused by name", (given, message) => {
  expect(() => withPresets(TABLE, given, "limits")).toThrow(new RangeError(message));
});

test("the table is the table of names", () => {
  expect(() => assertKnown("it", { limits: { max: 1 } }, { limits: TABLE })).not.toThrow();
  expect(() => assertKnown("it", { limits: { maxx: 1 } }, { limits: TABLE })).toThrow(
    'Unknown option "maxx" of "limits" of it. Did you mean "max"?',
  );
  expect(() => assertKnown("it", { max: 1 }, { limits: TABLE })).toThrow('Did you mean "limits.max"?');
});
