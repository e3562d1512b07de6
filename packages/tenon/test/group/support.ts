/** Servers for groups that can be lost, can fail to come back, and change what they offer. */
import { onTestFinished } from "vitest";
import { acceptorOf, createMemoryPair, JsonRpcDispatcher, McpServer, type Clock, type Transport } from "tenon";
import { ClientSessionGroup, type GroupChange, type GroupOptions, type ServerEntries } from "tenon/group";
import { testServer } from "../support/test-server.ts";

/** A server with these tools, each of which answers with its own name and the server's. */
export function serverWith(name: string, ...tools: string[]): McpServer {
  const server = testServer({ name });
  for (const tool of tools) server.tool(tool, {}, () => `${name}.${tool}`);
  return server;
}

/** A server that connections can be opened to, cut and refused, as if it were a program. */
export class Outpost {
  readonly server: McpServer;
  /** How many attempts to connect there were. */
  attempts = 0;
  /** What an attempt to connect fails with; `"hang"` for one that is never answered. */
  refusal: Error | "hang" | undefined;
  readonly #tools = new Map<string, ReturnType<McpServer["tool"]>>();
  readonly #open = new Set<Transport>();

  /** @param identity its name, and the clock it tells of its changes by */
  constructor(identity: string | { name: string; clock: Clock }, ...tools: string[]) {
    const { name, ...options } = typeof identity === "string" ? { name: identity } : identity;
    this.server = new McpServer({ name, version: "1" }, options);
    for (const tool of tools) this.add(tool);
  }

  /** What a group connects to. */
  readonly target = (): Transport => {
    this.attempts++;
    const [near, far] = createMemoryPair();
    if (this.refusal instanceof Error) throw this.refusal;
    if (this.refusal === "hang") return near;
    const dispatcher = new JsonRpcDispatcher(far);
    this.#open.add(far);
    void acceptorOf(this.server)
      .accept(dispatcher)
      .finally(() => this.#open.delete(far));
    return near;
  };

  /** Connections that are open. */
  get connections(): number {
    return this.#open.size;
  }

  add(tool: string, description?: string): void {
    const answer = (): string => `${this.server.info.name}.${tool}`;
    this.#tools.set(tool, this.server.tool(tool, description === undefined ? {} : { description }, answer));
  }

  remove(tool: string): void {
    this.#tools.get(tool)?.remove();
    this.#tools.delete(tool);
  }

  /** All connections end, from the server's side. */
  die(): void {
    for (const transport of this.#open) void transport.close();
  }
}

/**
 * Milliseconds until a group is used without a server that still connects: more than a
 * busy machine takes to load what a first server needs.
 */
const READY = 30_000;

export interface Observed {
  readonly group: ClientSessionGroup;
  readonly changes: GroupChange[];
  /** `server: message` of everything that was reported. */
  readonly errors: string[];
}

/** A group of these servers that is closed after the test, with everything it tells. */
export async function grouped(servers: ServerEntries, options: GroupOptions = {}): Promise<Observed> {
  const observed = observe(options);
  await observed.group.add(servers);
  return observed;
}

/** The same, of no servers yet. */
export function observe(options: GroupOptions = {}): Observed {
  const changes: GroupChange[] = [];
  const errors: string[] = [];
  const group = new ClientSessionGroup({
    ...(options.clock === undefined && { readyTimeout: READY }),
    onChange: (change) => changes.push(change),
    onServerError: (error, server) => errors.push(`${server}: ${error.message}`),
    ...options,
  });
  onTestFinished(() => group.close());
  return { group, changes, errors };
}

/** The states of all servers of a group. */
export function statesOf(group: ClientSessionGroup): { [name: string]: string } {
  return Object.fromEntries([...group.servers].map(([name, { state }]) => [name, state]));
}
