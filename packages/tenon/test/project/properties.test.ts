/** Property tests try the same inputs in every run, and one that fails says with which seed. */
import * as everything from "fast-check";
import fc from "fast-check";
import { expect, test } from "vitest";

const never = fc.property(fc.nat(), () => false);

test("every import of fast-check has the one seed, and two checks try the same inputs", () => {
  expect(fc.readConfigureGlobal()?.seed).toEqual(expect.any(Number));
  expect(everything.readConfigureGlobal()).toEqual(fc.readConfigureGlobal());
  const tried = (): readonly number[] => fc.sample(fc.nat(), 20);
  expect(tried()).toEqual(tried());
});

test("a failure prints its seed and its path", () => {
  const { seed } = fc.readConfigureGlobal()!;
  expect(() => fc.assert(never)).toThrow(new RegExp(`seed: ${seed}, path: "`));
});
