/**
 * Adds servers to a group and removes them: several that connect in the background, or one that must connect first.
 *
 * `group-servers.ts` knows their names; `group-server.ts` runs each of them.
 */
import type { GroupContext } from "../group-context.ts";
import { GroupServer } from "./group-server.ts";
import type { GroupServers } from "./group-servers.ts";
import type { GroupSession } from "../../upstream/session.ts";
import type { ServerSource } from "../../upstream/entry.ts";

export class ServerList {
  readonly #context: GroupContext<GroupServer>;
  readonly #servers: GroupServers;
  /** Servers of {@link ServerList.join} that have not connected yet. */
  readonly #joining = new Set<GroupServer>();

  constructor(context: GroupContext<GroupServer>, servers: GroupServers) {
    this.#context = context;
    this.#servers = servers;
  }

  /** Adds servers that connect in the background. @throws as {@link GroupServers.claim}; then no server is started */
  start(sources: readonly (readonly [name: string, source: ServerSource])[]): void {
    const servers = sources.map(([name, source]) => [name, new GroupServer(this.#context, source, name)] as const);
    try {
      for (const [name, server] of servers) this.#servers.claim(name, server);
    } catch (error) {
      for (const [, server] of servers) this.#servers.release(server);
      throw error;
    }
    for (const [, server] of servers) {
      this.#context.catalog.add(server);
      server.start();
    }
  }

  /** Connects to one server and adds it. @throws the reason if it does not connect; then everything is closed */
  async join(source: ServerSource, name: string | undefined, signal?: AbortSignal): Promise<GroupSession> {
    const server = new GroupServer(this.#context, source, name);
    if (name !== undefined) this.#servers.claim(name, server);
    this.#joining.add(server);
    try {
      return await server.startWith(signal);
    } catch (error) {
      this.#servers.release(server);
      throw error;
    } finally {
      this.#joining.delete(server);
    }
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#servers.byName.values()].flatMap(({ settled }) => settled ?? []));
  }

  /** Closes all servers at the same time. @throws AggregateError of what could not be closed */
  async close(): Promise<void> {
    const servers = new Set([...this.#servers.byName.values(), ...this.#joining]);
    const closed = await Promise.allSettled([...servers].map((server) => server.close()));
    const errors = closed.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
    if (errors.length > 0) throw new AggregateError(errors, "Some servers could not be closed");
  }
}
