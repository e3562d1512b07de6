/** What the clients of a world do during its storm, and afterwards, when everything must work again. */
import { Actor } from "./actor.ts";
import { GroupActor } from "./group-actor.ts";
import { Watcher } from "./watcher.ts";
import type { World } from "./world.ts";

/** With sessions a request that the network repeats is another call, and `early` has a step that needs no answer. */
const CALLS = ["echo", "count", "count", "book", "book", "consent", "early", "job", "fragile"] as const;

export class Workload {
  readonly actors: readonly Actor[];
  readonly group: GroupActor | undefined;
  readonly watcher: Watcher | undefined;
  readonly #world: World;
  /** Everything that is going on. */
  readonly #running = new Set<string>();

  constructor(world: World) {
    const { random } = world;
    this.#world = world;
    this.actors = [
      new Actor(world, "ann", "2026-07-28"),
      new Actor(world, "bob", "2025-11-25"),
      ...(random.chance(0.5) ? [new Actor(world, "cid", random.pick(["2026-07-28", "2025-11-25"]))] : []),
    ];
    this.group = random.chance(0.4) ? new GroupActor(world) : undefined;
    this.watcher = world.isExtended ? new Watcher(world, random.pick(["2025-11-25", "2025-11-25", "2026-07-28"])) : undefined;
  }

  /** What has not come to an end. */
  get running(): readonly string[] {
    return [...this.#running];
  }

  #run(name: string, work: () => Promise<unknown>): void {
    this.#running.add(name);
    work()
      .catch((error: unknown) => this.#world.ledger.violated(`${name} failed: ${String(error)}`))
      .finally(() => this.#running.delete(name));
  }

  /** All clients begin. */
  begin(): void {
    for (const actor of this.actors) this.#run(actor.name, () => this.#live(actor));
    const { group, watcher } = this;
    if (group !== undefined) this.#run("group", () => this.#gather(group));
    if (watcher !== undefined) this.#run(`${watcher.name} watching`, () => watcher.watch());
  }

  async #live(actor: Actor): Promise<void> {
    const { random } = this.#world;
    await actor.clock.sleep(random.between(0, 500));
    if (random.chance(0.6)) this.#run(`${actor.name} watching`, () => actor.watch());
    const calls: Promise<unknown>[] = [];
    for (let left = random.between(2, 5); left > 0; left--) {
      const drawn = random.chance(0.04) ? "poison" : random.pick(CALLS);
      const tool = drawn === "early" && !actor.isStateless ? "book" : drawn;
      const call = actor.call(tool, { total: random.between(2, 8), ms: random.pick([0, 0, 100, 700, 9_000]) });
      calls.push(call);
      await (random.chance(0.6) ? call : actor.clock.sleep(random.between(0, 1_500)));
    }
    await Promise.all(calls);
    // Some leave without a goodbye, and their tasks go on.
    if (random.chance(0.35)) await actor.close();
  }

  async #gather(group: GroupActor): Promise<void> {
    const { random } = this.#world;
    await group.open();
    for (let left = 4; left > 0; left--) {
      await group.call(random.pick(["web", "local"]));
      await group.clock.sleep(random.between(100, 5_000));
    }
  }

  /** The storm is over: every client must get results again, in a few attempts. */
  recover(): void {
    for (const actor of this.actors) this.#run(`${actor.name} recovering`, () => this.#mustWork(actor));
    const { group } = this;
    if (group === undefined) return;
    for (const server of ["web", "local"] as const) this.#run(`group ${server} recovering`, () => this.#mustReach(group, server));
  }

  async #mustWork(actor: Actor): Promise<void> {
    for (let attempt = 0; attempt < 6; attempt++) {
      if ((await actor.call("echo")).outcome === "result") return;
      await actor.clock.sleep(5_000); // a task may still crash its process
    }
    this.#world.ledger.violated(`${actor.name} cannot call after the storm`);
  }

  /** A server that was broken is left alone for a while. */
  async #mustReach(group: GroupActor, server: "web" | "local"): Promise<void> {
    for (let attempt = 0; attempt < 25; attempt++) {
      if (await group.call(server)) return;
      await group.clock.sleep(3_000);
    }
    this.#world.ledger.violated(`the group cannot call ${server} after the storm`);
  }

  async close(): Promise<void> {
    const { actors, group, watcher } = this;
    await Promise.all([...actors, ...(group ? [group] : []), ...(watcher ? [watcher.actor] : [])].map((actor) => actor.close()));
  }
}
