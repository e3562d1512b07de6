/** A group of two servers: one over HTTP, one over pipes. */
import { McpError } from "tenon";
import { ClientSessionGroup } from "tenon/group";
import { Actor, urlOf } from "./actor.ts";
import type { World } from "./world.ts";

export class GroupActor {
  readonly #world: World;
  readonly #actor: Actor;
  #group: ClientSessionGroup | undefined;

  constructor(world: World) {
    this.#world = world;
    this.#actor = new Actor(world, "group", world.random.pick(["2025-11-25", "2026-07-28"]));
  }

  get clock(): Actor["clock"] {
    return this.#actor.clock;
  }

  async open(): Promise<void> {
    const world = this.#world;
    const web = { url: urlOf(world), fetch: world.network.fetchOf("group") };
    const local = (): ReturnType<NonNullable<(typeof world)["local"]["process"]>["accept"]> => {
      const { process } = world.local;
      if (process === undefined) throw new McpError(-32_000, "The program does not start");
      return process.accept();
    };
    this.#group = await ClientSessionGroup.connect(
      { web, local: { target: local } },
      { ...this.#actor.options, readyTimeout: 1_000 },
    );
  }

  /** True if a call of that server has its result. A lost call must fail with an error of the protocol. */
  async call(server: "web" | "local"): Promise<boolean> {
    const { ledger } = this.#world;
    const nonce = ledger.nonce("group");
    try {
      const { text } = await this.#group!.callTool(`${server}__echo`, { nonce });
      if (text !== nonce) ledger.violated(`${server}__echo got the result ${text} of another call`);
      return true;
    } catch (error) {
      this.#world.trace(`group ${server}: ${String(error)}`);
      if (!McpError.isMcpError(error)) ledger.violated(`${server}__echo failed with ${String(error)}`);
      return false;
    }
  }

  async close(): Promise<void> {
    await this.#group?.close();
  }
}
