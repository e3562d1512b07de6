/** The same worlds in every run, on all cores: all rules hold in each of them. `npm run simulate` tries others. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { loadSimulation } from "./load.ts";

const SCRIPT = fileURLToPath(new URL("simulate.mjs", import.meta.url));
/** As many as find each of the known bugs (mutants.test.ts). */
const SEEDS = 400;

/** Bounds a hang only: on two quiet cores all worlds take a quarter of a minute. */
const TIMEOUT = 900_000;

/** Seeds that once broke a rule. */
const REGRESSIONS = [81, 217, 538480535, 538481054, 538487240, 538514611, 1554790758, 1554819033, 1990015848];

test("all rules hold in every world", { timeout: TIMEOUT }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, "--from", "1", "--seeds", String(SEEDS)]).catch(
    ({ stdout: failures }: { stdout: string }) => ({ stdout: failures }), // what the script prints names each seed
  );
  expect(stdout).toMatch(new RegExp(`^${SEEDS} seeds from 1 in \\d+ s: all rules hold\n$`));
});

test("all rules hold in worlds that once broke one", { timeout: TIMEOUT }, async () => {
  const { simulate } = await loadSimulation();
  for (const seed of REGRESSIONS) expect((await simulate(seed)).violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
});

test("two runs with the same seed are equal, whatever ran before", { timeout: TIMEOUT }, async () => {
  const { simulate } = await loadSimulation();
  const digests = async (seeds: readonly number[]): Promise<Map<number, number>> => {
    const found = new Map<number, number>();
    for (const seed of seeds) found.set(seed, (await simulate(seed)).digest);
    return found;
  };
  const seeds = Array.from({ length: 20 }, (_, index) => 10_000 + index);
  expect(await digests(seeds.toReversed())).toEqual(await digests(seeds));
});
