import { beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Retry } from "./retry.ts";

describe("When a lost server is tried again", () => {
  let clock: VirtualClock;
  let retry: Retry;
  const next = (count: number): { wait: number; broken: boolean }[] => Array.from({ length: count }, () => retry.next());
  beforeEach(() => {
    clock = new VirtualClock();
    retry = new Retry(clock);
  });

  it("five times, later and later, then after half a minute each [fault G6]", () => {
    const waits = next(7);
    waits.slice(0, 5).forEach(({ wait, broken }, index) => {
      expect(broken).toBe(false);
      expect(wait).toBeGreaterThanOrEqual(250);
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index);
    });
    for (const { wait, broken } of waits.slice(5)) {
      expect(broken).toBe(true);
      expect(wait).toBeGreaterThanOrEqual(30_000);
      expect(wait).toBeLessThanOrEqual(36_000);
    }
  });

  it("a connection that held begins anew, one that did not goes on where it was [fault G6]", async () => {
    next(5);
    retry.connected();
    await clock.advance(9_999);
    retry.lost();
    expect(retry.next().broken).toBe(true);
    retry.connected();
    await clock.advance(10_000);
    retry.lost();
    expect(retry.next().broken).toBe(false);
  });

  it("a circuit that was tripped is broken at once, until there is a connection [fault G6]", () => {
    retry.trip();
    expect(retry.next().broken).toBe(true);
    retry.connected();
    retry.lost();
    expect(retry.next().broken).toBe(false);
    retry.trip();
    retry.reset();
    expect(retry.next().broken).toBe(false);
  });
});
