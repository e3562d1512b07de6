/** When processes crash, which processes cannot reach each other for a while, and when the resource changes. */
import type { World } from "./world.ts";

/** Milliseconds in which things go wrong. */
export const STORM = 25_000;

/** @param clients who may be parted from a machine */
export function plan(world: World, clients: readonly string[]): void {
  const { faults, machines, random } = world;
  const sometime = (then: () => void): void => world.later(random.between(100, STORM - 3_000), then);
  for (let left = faults.crashes; left > 0; left--) {
    const machine = random.pick([...machines, world.local]);
    sometime(() => machine.process?.crash());
  }
  for (let left = faults.partitions; left > 0; left--) {
    const client = random.pick(clients);
    const machine = random.pick(machines);
    sometime(() => {
      world.network.part(client, machine);
      world.later(random.between(200, 15_000), () => world.network.join(client, machine));
    });
  }
  for (let left = random.between(0, 3); left > 0; left--) sometime(() => world.count());
}
