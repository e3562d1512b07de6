/**
 * A machine and the processes that run on it, one after the other: each is a server with its endpoint, which may crash at any
 * time.
 */
import { acceptorOf, createMemoryPair, JsonRpcDispatcher, type Transport } from "tenon";
import { createFetchHandler, type FetchHandler, type McpServer } from "tenon/server";
import type { Stores } from "./disk.ts";
import { ProcessClock } from "./process-clock.ts";
import { createServer } from "./server.ts";
import type { World } from "./world.ts";

/** Something that ends when its process does. */
export interface Connection {
  reset(): void;
}

export class Process {
  readonly machine: Machine;
  readonly clock: ProcessClock;
  readonly stores: Stores;
  readonly connections: Set<Connection> = new Set();
  readonly server: McpServer;
  readonly #handler: FetchHandler;
  readonly #world: World;
  /** When it crashed. */
  diedAt: number = Infinity;

  constructor(world: World, machine: Machine) {
    const { clock, disk, faults, random } = world;
    this.#world = world;
    this.machine = machine;
    this.clock = new ProcessClock(clock, random.between(-faults.skew, faults.skew));
    const wait = (): number => (random.chance(faults.slowDisk) ? random.between(1, 40) : 0);
    this.stores = disk.reachedBy({ clock: this.clock, dead: () => this.dead, wait });
    this.server = createServer(world, this);
    this.#handler = createFetchHandler(this.server, {
      clock: this.clock,
      timeout: 10_000,
      onError: () => undefined,
    });
    // As `serveHttp` and `serveStdio` do: tasks of processes that died are taken over before a client comes.
    this.server.begin().catch((error: unknown) => world.ledger.violated(`${machine.name} cannot begin: ${String(error)}`));
  }

  get dead(): boolean {
    return this.diedAt < Infinity;
  }

  /** Never resolves if the process dies before. */
  handle(request: Request): Promise<Response> {
    return this.#handler(request);
  }

  /** A connection of messages, as a program has over its pipes. Messages of both ends take a while, and stay in order. */
  accept(): Transport {
    const [client, near] = createMemoryPair();
    const [far, server] = createMemoryPair();
    const connection: Connection = { reset: () => void Promise.all([near.close(), far.close()]) };
    this.connections.add(connection);
    const relay = async (from: Transport, to: Transport): Promise<void> => {
      try {
        for (;;) {
          const message = await from.receive();
          await this.#world.travel();
          await to.send(message as Parameters<Transport["send"]>[0]); // both ends speak JSON-RPC
        }
      } catch {
        connection.reset();
        this.connections.delete(connection);
      }
    };
    void relay(near, far);
    void relay(far, near);
    void acceptorOf(this.server)
      .accept(new JsonRpcDispatcher(server, { clock: this.clock }))
      .catch(() => undefined);
    return client;
  }

  /** It did something to the world outside that cannot be undone. Never resolves if it is dead: then it did nothing. */
  effect(call: string, step: string, { key, task }: { key: string; task: string | undefined }): Promise<void> {
    if (this.dead) return new Promise(() => undefined);
    const { ledger, clock } = this.#world;
    this.#world.trace(`${this.machine.name}: ${step} of ${call}`);
    if (ledger.finished.has(`${call} ${task ?? ""} ${step}`)) ledger.violated(`${step} of ${call} was done after its end`);
    ledger.effects.push({ call, step, key, task, at: clock.now(), diedAt: () => this.diedAt });
    return Promise.resolve();
  }

  /** Everything it has is gone at once: timers, connections, memory. */
  crash(): void {
    if (this.dead) return;
    this.diedAt = this.#world.clock.now();
    this.#world.trace(`${this.machine.name}: crash`);
    this.clock.stop();
    for (const connection of [...this.connections]) connection.reset();
    this.connections.clear();
    this.machine.restartLater();
  }
}

export class Machine {
  readonly name: string;
  readonly #world: World;
  /** What runs on it; undefined between a crash and the restart. */
  process: Process | undefined;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
  }

  start(): void {
    if (this.process !== undefined) return;
    this.#world.trace(`${this.name}: start`);
    this.process = new Process(this.#world, this);
    this.#world.processes.push(this.process);
  }

  /** What supervises the machine starts a new process after a while. */
  restartLater(): void {
    this.process = undefined;
    this.#world.later(this.#world.random.between(50, 4_000), () => this.start());
  }
}
