import { expect, test } from "vitest";
import { isAtLeast, LOGGING_LEVELS } from "./logging.ts";

test("levels are ordered by severity [TY-32 K6.3]", () => {
  for (const [i, level] of LOGGING_LEVELS.entries()) {
    for (const [j, threshold] of LOGGING_LEVELS.entries())
      expect(isAtLeast(level, threshold), `${level} ${threshold}`).toBe(i >= j);
  }
  expect(isAtLeast("debug", "emergency")).toBe(false);
});

test("the levels are the eight of syslog [K6.1]", () => {
  expect(LOGGING_LEVELS).toEqual(["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]);
});
