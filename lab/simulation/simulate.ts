/** Runs one world, from its seed to its end, and returns which rules were broken. */
import { checkCalm, checkLeftovers } from "./invariants.ts";
import { seedPlatform } from "./platform.ts";
import { plan, STORM } from "./storm.ts";
import { Workload } from "./workload.ts";
import { World } from "./world.ts";

/** Milliseconds after the storm until everything that was begun must have come to an end. */
const CALM = 150_000;
/** Milliseconds before the end of the calm at which the resource changes once more, if a client only watches. */
const LAST_CHANGE = 20_000;
/** Milliseconds that clients have to close. */
const CLOSING = 10_000;
/** Milliseconds after the end until every time limit is over. */
const AFTERWARDS = 400_000;

export interface Outcome {
  readonly violations: readonly string[];
  /** Equal if two runs of a seed were equal. */
  readonly digest: number;
  /** What happened, a line each, if that was asked for. */
  readonly lines: readonly string[];
}

/** @param traced whether to keep a line of everything that happens */
export async function simulate(seed: number, { traced = false }: { traced?: boolean } = {}): Promise<Outcome> {
  const world = new World(seed, traced);
  const restore = seedPlatform(world.random);
  const onUnhandled = (error: unknown): void => world.ledger.violated(`unhandled: ${String(error)}`);
  process.on("unhandledRejection", onUnhandled);
  try {
    await happen(world);
  } finally {
    restore();
    process.off("unhandledRejection", onUnhandled);
  }
  return { violations: world.ledger.violations, digest: world.digest, lines: world.lines ?? [] };
}

async function happen(world: World): Promise<void> {
  const { clock } = world;
  const workload = new Workload(world);
  plan(world, [...workload.actors.map(({ name }) => name), "group", ...(workload.watcher ? [workload.watcher.name] : [])]);
  workload.begin();
  await clock.advance(STORM);
  world.heal();
  workload.recover();
  if (workload.watcher === undefined) await clock.advance(CALM);
  else {
    await clock.advance(CALM - LAST_CHANGE);
    world.count();
    await clock.advance(LAST_CHANGE);
  }
  checkCalm(world, workload);
  await within(world, "clients", CLOSING, workload.close());
  const living = world.processes.filter(({ dead }) => !dead);
  await within(world, "servers", AFTERWARDS, Promise.all(living.map(({ server }) => server.close())));
  checkLeftovers(world, workload);
}

/** Lets `ms` milliseconds pass, in which `closing` must come to an end. */
async function within({ clock, ledger }: World, what: string, ms: number, closing: Promise<unknown>): Promise<void> {
  let over = false;
  closing.then(
    () => (over = true),
    (error: unknown) => ledger.violated(`${what} were closed with ${String(error)}`),
  );
  await clock.advance(ms);
  if (!over) ledger.violated(`${what} cannot be closed`);
}
