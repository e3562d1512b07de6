/**
 * Random interleavings of everything that can happen to two dispatchers, on virtual time.
 *
 * `TENON_SIM_RUNS` sets how many runs each kind gets. Default 1000: so many find each mistake of
 * lab/dispatcher. A failure prints its seed and the shrunk run.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { simulate } from "./simulate.ts";
import { run } from "./steps.ts";
import * as subject from "./subject.ts";

const RUNS = Number(process.env["TENON_SIM_RUNS"] ?? 1000);

describe("simulation", () => {
  it.each(["direct", "wire"] as const)(
    "every call settles once, with its own response, and nothing is left: %s [D1 D2 D3 D4 D5 D6 D7 D8 D9 D10 D12 D13 D16 XT-20]",
    { timeout: 120_000 + RUNS * 20 },
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(run, async (steps) => {
          expect(await simulate(subject, kind, steps)).toEqual([]);
        }),
        { numRuns: RUNS },
      );
    },
  );
});
