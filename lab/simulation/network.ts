/** The network: `fetch` as clients have it, through a balancer to the processes. It delays, loses, repeats and cuts. */
import { Exchange, type ReceivedResponse, type SentRequest } from "./exchange.ts";
import type { Machine } from "./process.ts";
import type { World } from "./world.ts";

export class Network {
  readonly #world: World;
  /** Which machine has a session. */
  readonly #sessions = new Map<string, Machine>();
  /** Pairs that cannot reach each other, and what is called when they can. */
  readonly #partitions = new Map<string, (() => void)[]>();
  /** Exchanges that have not ended. */
  readonly open: Set<Exchange> = new Set();

  constructor(world: World) {
    this.#world = world;
  }

  /** `fetch` as that client has it. */
  fetchOf(client: string): (url: string, init: SentRequest) => Promise<ReceivedResponse> {
    return async (url, init) => {
      const { faults, random } = this.#world;
      const machine = this.#route(init.headers["mcp-session-id"]);
      const method =
        init.body === undefined ? init.method : ((JSON.parse(init.body) as { method?: string }).method ?? "response");
      this.#world.trace(`${client} -> ${machine.name}: ${method}`);
      const lost = random.chance(faults.lostRequests);
      if (init.method === "POST" && random.chance(faults.duplicates) && method !== "resources/unsubscribe")
        this.#repeatLater(machine, url, init);
      const exchange = new Exchange(this.#world, { client, machine, lost }, url, init);
      this.open.add(exchange);
      void exchange.over.then(() => this.open.delete(exchange));
      const response = await exchange.response;
      const session = response.headers.get("mcp-session-id");
      if (session !== null) this.#sessions.set(session, machine);
      return response;
    };
  }

  /** Sessions stay where they are; everything else goes to any machine that is up. */
  #route(session: string | undefined): Machine {
    const known = session === undefined ? undefined : this.#sessions.get(session);
    const { machines, random } = this.#world;
    const up = machines.filter(({ process }) => process !== undefined);
    return known ?? random.pick(up.length > 0 ? up : machines);
  }

  /** The request arrives once more: a proxy sent it again, or an attacker. Its response is read by neither client. */
  #repeatLater(machine: Machine, url: string, init: SentRequest): void {
    const { random } = this.#world;
    const elsewhere = init.headers["mcp-session-id"] === undefined ? random.pick(this.#world.machines) : machine;
    this.#world.later(random.chance(0.5) ? random.between(1, 500) : random.between(500, 30_000), () => {
      const gone = new AbortController();
      const exchange = new Exchange(this.#world, { client: "repeated", machine: elsewhere, lost: false }, url, {
        ...init,
        signal: gone.signal,
      });
      this.open.add(exchange);
      void exchange.over.then(() => this.open.delete(exchange));
      this.#world.later(5_000, () => gone.abort());
      exchange.response.then((response) => response.text()).catch(() => undefined);
    });
  }

  // ---- partitions ----

  /** From now on they cannot reach each other. Open connections between them stall. */
  part(client: string, machine: Machine): void {
    this.#world.trace(`partition ${client} | ${machine.name}`);
    const name = `${client}|${machine.name}`;
    if (!this.#partitions.has(name)) this.#partitions.set(name, []);
  }

  join(client: string, machine: Machine): void {
    const name = `${client}|${machine.name}`;
    const waiting = this.#partitions.get(name);
    this.#partitions.delete(name);
    for (const go of waiting ?? []) go();
  }

  heal(): void {
    const all = [...this.#partitions.values()].flat();
    this.#partitions.clear();
    for (const go of all) go();
  }

  /** Resolves when they can reach each other; undefined if they can. */
  parted(client: string, machine: Machine): Promise<void> | undefined {
    const waiting = this.#partitions.get(`${client}|${machine.name}`);
    return waiting && new Promise((resolve) => waiting.push(resolve));
  }
}
