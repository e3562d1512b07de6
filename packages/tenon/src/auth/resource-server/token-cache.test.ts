import { expect, test, vi } from "vitest";
import { TokenCache, type KnownToken } from "./token-cache.ts";

const MEBI = 2 ** 20;

/** As much of one as the cache looks at. */
const good = (until: number): KnownToken => ({ presented: {}, authorized: { until } }) as unknown as KnownToken;

test("a token whose time is over is not held until the room is needed [rule R5 R21]", () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 0 });
  try {
    const cache = new TokenCache(60_000);
    for (let n = 0; n < 100; n++) cache.add(`Bearer ${n}`, good(Infinity));
    vi.setSystemTime(59_999);
    cache.add("Bearer new", good(Infinity));
    expect(cache.size).toBe(101);
    vi.setSystemTime(60_000);
    cache.add("Bearer newer", good(60_500));
    expect(cache.size).toBe(2);
    expect(cache.get("Bearer new")).toBeDefined();
    vi.setSystemTime(60_500);
    expect([cache.get("Bearer newer"), cache.get("Bearer 0")]).toEqual([undefined, undefined]);
  } finally {
    vi.useRealTimers();
  }
});

test("headers of 16 Mi characters are held, and then the oldest are evicted", () => {
  const cache = new TokenCache(60_000);
  for (let n = 0; n < 16; n++) cache.add(String(n).padStart(MEBI), good(Infinity));
  expect(cache.size).toBe(16);
  cache.add("one more", good(Infinity));
  expect(cache.size).toBe(16);
  expect(cache.get("0".padStart(MEBI))).toBeUndefined();
  expect(cache.get("1".padStart(MEBI))).toBeDefined();
});

test("a token that is verified again takes its room once", () => {
  const cache = new TokenCache(60_000);
  cache.add("Bearer first", good(Infinity));
  for (let n = 0; n < 20; n++) cache.add("x".repeat(MEBI), good(Infinity));
  expect(cache.size).toBe(2);
});

test("10 000 tokens are held, and then the oldest is evicted", () => {
  const cache = new TokenCache(60_000);
  for (let n = 0; n <= 10_000; n++) cache.add(`Bearer ${n}`, good(Infinity));
  expect(cache.size).toBe(10_000);
  expect([cache.get("Bearer 0"), cache.get("Bearer 1")]).toEqual([undefined, expect.anything()]);
});
