/** Two thousand worlds, the same in every run: all rules hold in each of them. `npm run simulate` tries others. */
import { expect, test } from "vitest";
import { loadSimulation } from "./load.ts";

/** Seeds that once broke a rule. */
const REGRESSIONS = [27, 2008];
const SEEDS = 2_000;

test("all rules hold in every world", async () => {
  const { simulate } = await loadSimulation();
  const failures: unknown[] = [];
  for (const seed of [...REGRESSIONS, ...Array.from({ length: SEEDS }, (_, index) => index + 1)]) {
    const { violations } = await simulate(seed);
    if (violations.length > 0) failures.push({ repeat: `npm run simulate -- --seed ${seed}`, violations });
  }
  expect(failures).toEqual([]);
});

test("a seed says everything: two runs of it are equal, whatever ran before", async () => {
  const { simulate } = await loadSimulation();
  const digests = async (seeds: readonly number[]): Promise<Map<number, number>> => {
    const found = new Map<number, number>();
    for (const seed of seeds) found.set(seed, (await simulate(seed)).digest);
    return found;
  };
  const seeds = Array.from({ length: 40 }, (_, index) => 10_000 + index);
  expect(await digests(seeds.toReversed())).toEqual(new Map((await digests(seeds)).entries()));
});
