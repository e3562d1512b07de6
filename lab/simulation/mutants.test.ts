/** The simulation bites: each known bug, put into the real source, is found within a few hundred seeds. */
import { expect, test } from "vitest";
import { KNOWN_BUGS } from "./known-bugs.ts";
import { loadSimulation } from "./load.ts";

/** Seeds within which a bug must be found. */
const SEEDS = 400;

/** Bounds a hang only. */
const TIMEOUT = 300_000;

test.each(KNOWN_BUGS)("is found: $name", { timeout: TIMEOUT }, async (mutant) => {
  const { simulate } = await loadSimulation(mutant);
  const { firstSeed = 1 } = mutant;
  for (let seed = firstSeed; seed < firstSeed + SEEDS; seed++) if ((await simulate(seed)).violations.length > 0) return;
  expect.unreachable(`survived ${SEEDS} seeds from ${firstSeed}`);
});
