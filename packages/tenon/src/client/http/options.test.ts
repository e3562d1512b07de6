import { describe, expect, test } from "vitest";
import { httpLimits } from "./options.ts";

/** The limits of a connection over HTTP: their defaults, and what they may be. */
describe("limits of a connection over HTTP", () => {
  const DEFAULTS = { maxResponseBytes: 16_777_216, maxConcurrentRequests: 64, streamIdleTimeout: 60_000, maxWaiting: 67_108_864 };
  const names = Object.keys(DEFAULTS);

  test("have defaults, and each replaces its own", () => {
    expect(httpLimits({})).toEqual(DEFAULTS);
    for (const name of names) {
      expect(httpLimits({ limits: { [name]: 7 } })).toEqual({ ...DEFAULTS, [name]: 7 });
      expect(httpLimits({ limits: { [name]: undefined } as never })).toEqual(DEFAULTS);
    }
  });

  test.each(names)("%s is refused by name if it is no number above zero", (name) => {
    for (const wrong of [-1, Number.NaN, "7"]) {
      const make = (): unknown => httpLimits({ limits: { [name]: wrong } as never });
      expect(make).toThrow(RangeError);
      expect(make).toThrow(`limits.${name}`);
    }
  });

  test("only the idle time of a stream may be unlimited or zero", () => {
    expect(httpLimits({ limits: { streamIdleTimeout: Infinity } }).streamIdleTimeout).toBe(Infinity);
    for (const name of names.filter((one) => one !== "streamIdleTimeout")) {
      expect(() => httpLimits({ limits: { [name]: 0 } })).toThrow(`limits.${name}`);
    }
  });
});
