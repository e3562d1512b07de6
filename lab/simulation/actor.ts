/** A client of the world: it connects, does a few things, and writes down what became of each of them. */
import { McpError } from "tenon";
import { connect, type Client, type ConnectOptions } from "tenon/client";
import { tasks } from "tenon/ext/tasks";
import type { Operation } from "./ledger.ts";
import { ProcessClock } from "./process-clock.ts";
import { COUNTER } from "./server.ts";
import type { World } from "./world.ts";

export type Revision = "2025-11-25" | "2026-07-28";

/** Every request of a client ends after this many milliseconds. */
const TIMEOUT = 8_000;

/** The endpoint that all machines serve. Worlds have endpoints of their own: clients remember what a URL speaks. */
export function urlOf({ seed }: World): string {
  return `http://localhost/world-${seed}`;
}

export class Actor {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly isStateless: boolean;
  readonly #world: World;
  readonly #revision: Revision;
  #client: Promise<Client> | undefined;
  /** The last value of the resource that it has seen. */
  seen: number | undefined;
  /** Whether it knows that it sees no further changes. */
  watchEnded = true;

  constructor(world: World, name: string, revision: Revision) {
    this.#world = world;
    this.name = name;
    this.#revision = revision;
    this.isStateless = revision === "2026-07-28";
    this.clock = new ProcessClock(world.clock, world.random.between(-world.faults.skew, world.faults.skew));
  }

  /** The options of every client of this world. */
  get options(): ConnectOptions {
    return {
      revision: this.#revision,
      clock: this.clock,
      timeout: TIMEOUT,
      maxTotalTimeout: 60_000,
      extensions: [tasks({ maxWait: 60_000 })],
      onElicit: async () => {
        const { random } = this.#world;
        await this.clock.sleep(random.between(0, 600));
        if (random.chance(0.1)) return { action: "decline" };
        return { action: "accept", content: { note: "n".repeat(random.chance(0.1) ? 9_000 : 5) } };
      },
      onLog: ({ data }) => {
        const { nonce, number } = data as { nonce: string; number: number }; // as the server sends it
        this.#world.ledger.operations.find((operation) => operation.nonce === nonce)?.told.log.push(number);
      },
    };
  }

  /** The client, which is connected if need be. @throws what `connect` throws */
  client(): Promise<Client> {
    const fetch = this.#world.network.fetchOf(this.name);
    this.#client ??= connect({ url: urlOf(this.#world), fetch, limits: { streamIdleTimeout: 40_000 } }, this.options).catch(
      (error: unknown) => {
        this.#client = undefined;
        throw error;
      },
    );
    return this.#client;
  }

  /** Calls a tool, and compares the result. Never rejects. */
  async call(tool: string, { total = 0, ms = 0 }: { total?: number; ms?: number } = {}): Promise<Operation> {
    const nonce = this.#world.ledger.nonce(tool);
    const operation = this.#begin(`${this.name} ${tool}`, nonce, { total, complete: !this.isStateless });
    await this.#settle(operation, async () => {
      const client = await this.client();
      const onProgress = ({ progress }: { progress: number }): void => void operation.told.progress.push(progress);
      const result = await client.callTool(tool, { nonce, total, ms }, tool === "count" ? { onProgress } : {});
      if (result.isError) throw new McpError(0, result.text);
      return result.text;
    });
    return operation;
  }

  #begin(name: string, nonce: string, { total, complete }: Pick<Operation, "total" | "complete">): Operation {
    const told = { progress: [], log: [] };
    const operation: Operation = { name, nonce, expected: nonce, outcome: "pending", told, total, complete };
    this.#world.ledger.operations.push(operation);
    return operation;
  }

  async #settle(operation: Operation, work: () => Promise<string>): Promise<void> {
    const { ledger } = this.#world;
    try {
      const text = await work();
      operation.outcome = "result";
      this.#world.trace(`${operation.name}: ${text}`);
      if (text !== operation.expected) ledger.violated(`${operation.name} got the result ${text} of another call`);
    } catch (error) {
      operation.outcome = "lost";
      this.#world.trace(`${operation.name}: ${String(error)}`);
      if (!McpError.isMcpError(error)) ledger.violated(`${operation.name} failed with ${String(error)}`);
    }
  }

  /** Watches the resource and reads it after every change, until the watch ends. */
  async watch(): Promise<void> {
    try {
      const client = await this.client();
      const changes = await client.listen({ resources: [COUNTER] });
      this.#world.trace(`${this.name} watches`);
      this.watchEnded = false;
      await this.#read(client);
      for await (const _ of changes) await this.#read(client);
    } catch (error) {
      this.#world.trace(`${this.name} watches no more: ${String(error)}`);
      if (!McpError.isMcpError(error)) this.#world.ledger.violated(`${this.name} watches no more: ${String(error)}`);
    }
    this.watchEnded = true;
  }

  /** A value that could not be read is read again a little later. */
  async #read(client: Client): Promise<void> {
    for (let attempt = 0; attempt < 40; attempt++) {
      try {
        const { contents } = await client.readResource(COUNTER);
        const [content] = contents;
        this.seen = content !== undefined && "text" in content ? Number(content.text) : undefined;
        return this.#world.trace(`${this.name} sees ${this.seen}`);
      } catch (error) {
        if (!McpError.isMcpError(error)) throw error;
        await this.clock.sleep(1_000);
      }
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.close();
  }
}
