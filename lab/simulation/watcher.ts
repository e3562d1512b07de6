/** A client that only watches: once it listens it sends no request of its own. What it misses, no later call finds out. */
import { McpError } from "tenon";
import type { Client } from "tenon/client";
import { Actor, type Revision } from "./actor.ts";
import { COUNTER } from "./server.ts";
import type { World } from "./world.ts";

export class Watcher {
  readonly name = "eve";
  readonly actor: Actor;
  readonly #world: World;
  /**
   * When it was told last that the resource may have changed; undefined until it listens, and once it knows that it is told no
   * more.
   */
  toldAt: number | undefined;

  constructor(world: World, revision: Revision) {
    this.#world = world;
    this.actor = new Actor(world, this.name, revision);
  }

  /** Listens until the watch ends. A watch that cannot begin is tried again. Never rejects. */
  async watch(): Promise<void> {
    for (let attempt = 0; attempt < 10; attempt++) {
      try {
        return await this.#listen(await this.actor.client());
      } catch (error) {
        this.#world.trace(`${this.name} watches no more: ${String(error)}`);
        if (!McpError.isMcpError(error)) this.#world.ledger.violated(`${this.name} watches no more: ${String(error)}`);
        if (this.toldAt !== undefined) break;
        await this.actor.clock.sleep(2_000);
      }
    }
    this.toldAt = undefined;
  }

  async #listen(client: Client): Promise<void> {
    const changes = await client.listen({ resources: [COUNTER] });
    this.#world.trace(`${this.name} watches`);
    this.toldAt = this.#world.clock.now();
    for await (const _ of changes) {
      this.toldAt = this.#world.clock.now();
      this.#world.trace(`${this.name} is told`);
    }
    this.toldAt = undefined;
  }
}
