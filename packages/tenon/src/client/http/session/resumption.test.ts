import { describe, expect, test } from "vitest";
import { Backoff, MAX_ATTEMPTS, MAX_WAIT, MIN_WAIT } from "./resumption.ts";

const waits = (backoff: Backoff, count: number): (number | undefined)[] => Array.from({ length: count }, () => backoff.next());

describe("when to come back [C4 E1.9]", () => {
  test.each([
    [0, MIN_WAIT],
    [249, MIN_WAIT],
    [500, 500],
    [1e12, MAX_WAIT],
  ])("the server named %i ms: %i ms, without jitter", (retry, wait) => {
    const backoff = new Backoff();
    backoff.retry = retry;
    expect(waits(backoff, 3)).toEqual([wait, wait, wait]);
  });

  test("it named nothing: later and later, between the bounds, with jitter", () => {
    const seen = Array.from({ length: 200 }, () => waits(new Backoff(), MAX_ATTEMPTS) as number[]);
    seen.forEach((row) => row.forEach((wait, index) => expect(wait).toBeLessThanOrEqual(Math.min(MAX_WAIT, 1000 * 2 ** index))));
    for (const wait of seen.flat()) expect(wait).toBeGreaterThanOrEqual(MIN_WAIT);
    expect(new Set(seen.map((row) => row[4])).size).toBeGreaterThan(100);
    expect(Math.max(...seen.map((row) => row[4]!))).toBeGreaterThan(8000);
  });
});

describe("no loop [E3.4]", () => {
  test("enough is enough, and only something new begins the count again", () => {
    const backoff = new Backoff();
    expect(waits(backoff, MAX_ATTEMPTS)).not.toContain(undefined);
    expect(backoff.next()).toBeUndefined();
    backoff.progressed();
    expect(backoff.next()).toBeDefined();
  });

  test("a stream that is polled on purpose continues, one that flaps does not", () => {
    const backoff = new Backoff();
    for (const [retry, goesOn] of [
      [0, false],
      [MIN_WAIT, true],
    ] as const) {
      backoff.progressed();
      backoff.retry = retry;
      for (let polls = 0; polls < 20; polls++) {
        backoff.polled();
        backoff.next();
      }
      backoff.polled();
      expect(backoff.next() !== undefined).toBe(goesOn);
    }
  });
});
