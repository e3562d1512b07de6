import { expect, test } from "vitest";
import { isAtLeast, isLoggingLevel, LOGGING_LEVELS } from "./logging.ts";

test("levels are ordered by severity [TY-32 K6.3]", () => {
  for (const [i, level] of LOGGING_LEVELS.entries()) {
    for (const [j, threshold] of LOGGING_LEVELS.entries())
      expect(isAtLeast(level, threshold), `${level} ${threshold}`).toBe(i >= j);
  }
  expect(isAtLeast("debug", "emergency")).toBe(false);
});

test("only the eight levels are levels [K6.1]", () => {
  expect(LOGGING_LEVELS.every(isLoggingLevel)).toBe(true);
  for (const value of ["loud", "", "DEBUG", 1, null, undefined, ["debug"]]) expect(isLoggingLevel(value)).toBe(false);
});
