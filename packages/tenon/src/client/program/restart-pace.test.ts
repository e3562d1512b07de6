import { beforeEach, describe, expect, test, vi } from "vitest";
import { RestartPace } from "./restart-pace.ts";

const MINUTE = 60_000;

/** Starts `count` times at `now`; returns the wait before each start. */
function waitsOf(pace: RestartPace, count: number, now: number): number[] {
  return Array.from({ length: count }, () => {
    const wait = pace.wait(now);
    pace.started(now);
    return wait;
  });
}

describe("how long a program waits that keeps ending [fault S24]", () => {
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));

  test("the longest wait doubles from half a second up to half a minute", () => {
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    expect(waitsOf(new RestartPace({}), 8, 0)).toEqual(longest.map((wait) => wait / 2));
  });

  test("the wait is anything between nothing and the longest", () => {
    const pace = new RestartPace({});
    vi.mocked(Math.random).mockReturnValueOnce(0).mockReturnValueOnce(0.999);
    expect([pace.wait(0), pace.wait(0)]).toEqual([500, expect.closeTo(0.5)]);
  });

  test("a program that ran for a minute begins again with the shortest wait", () => {
    const pace = new RestartPace({});
    expect(waitsOf(pace, 3, 0)).toEqual([250, 500, 1_000]);
    expect(pace.wait(MINUTE - 1)).toBe(2_000);
    expect(pace.wait(MINUTE)).toBe(250);
  });
});

describe("how often a program is started [fault S24]", () => {
  test("five times a minute by default, and then not before the first of them is a minute ago", () => {
    const pace = new RestartPace({});
    for (let start = 0; start < 5; start++) {
      expect(pace.blocked(start * 1_000)).toBe(0);
      pace.started(start * 1_000);
    }
    expect(pace.blocked(10_000)).toBe(50_000);
    expect(pace.blocked(MINUTE - 1)).toBe(1);
    expect(pace.blocked(MINUTE)).toBe(0);
    pace.started(MINUTE);
    expect(pace.blocked(MINUTE)).toBe(1_000);
  });

  test("the refusal names the option and its limit", () => {
    expect(new RestartPace({ max: 3 }).refusal).toContain('limit "restart.max" of 3');
  });
});
