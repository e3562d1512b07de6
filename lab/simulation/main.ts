/** What is bundled for a run: the simulation with the whole of the SDK in it. */
import { simulate } from "./simulate.ts";

export { simulate };

/** Loads what is loaded late, so that the first world of a run is like all others. */
export async function warmUp(): Promise<void> {
  for (let seed = -1; seed >= -5; seed--) await simulate(seed);
}
