/** The simulation as it runs in tests: bundled from the source, with a bug in it if one is given. */
import { loadBundle, type Mutant } from "../../packages/tenon/test/support/bundle.ts";

/** Everything that a test needs of it. */
export type Simulation = typeof import("./main.ts");

export async function loadSimulation(mutant?: Mutant): Promise<Simulation> {
  const simulation = await loadBundle<Simulation>(new URL("main.ts", import.meta.url), mutant);
  await simulation.warmUp();
  return simulation;
}
