import { expect, test, vi } from "vitest";
import { TokenCache, type KnownToken } from "./token-cache.ts";

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
