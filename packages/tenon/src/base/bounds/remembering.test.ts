import { expect, it } from "vitest";
import { remembering } from "./remembering.ts";

it("computes a value once, and forgets all when there are too many", () => {
  const computed: number[] = [];
  const half = remembering((value: number) => (computed.push(value), value / 2));
  expect([half(0), half(2), half(0)]).toEqual([0, 1, 0]);
  expect(computed).toEqual([0, 2]);
  for (let value = 3; value < 66; value++) half(value);
  expect(half(0)).toBe(0);
  expect(computed.filter((value) => value === 0)).toHaveLength(2);
});
