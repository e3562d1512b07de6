/**
 * The servers that a changed configuration has replaced or removed: they get no new calls, and those that run have a time to end.
 *
 * A call that waits for an answer of its client, and a task, stay where they are: their next requests still come here.
 */
import type { Caller } from "../clients/caller.ts";
import type { Settings } from "../settings.ts";
import type { TaskName } from "../tasks/task-handles.ts";
import type { Lane } from "./lane.ts";
import type { Upstream } from "./upstream.ts";

/** Most servers that drain at once. One more is closed at once. */
const MAX_DRAINING = 1_000;

export class DrainingServers {
  readonly #settings: Pick<Settings, "drainTimeout">;
  readonly #servers = new Set<Upstream>();

  constructor(settings: Pick<Settings, "drainTimeout">) {
    this.#settings = settings;
  }

  /** Whether no server drains. */
  get isEmpty(): boolean {
    return this.#servers.size === 0;
  }

  /**
   * Closes the connections of a server when their calls have ended, or when their time is over. Resolves when those that were opening for no
   * call have ended.
   */
  add(server: Upstream): Promise<void> {
    const ms = this.#servers.size < MAX_DRAINING ? this.#settings.drainTimeout : 0;
    this.#servers.add(server);
    void server.lanes.drain(ms).then(() => this.#servers.delete(server));
    return server.lanes.ending();
  }

  /** The server of a connection, if it drains. */
  serverOf(lane: Lane): Upstream | undefined {
    return [...this.#servers].find((server) => server.lanes.has(lane));
  }

  /** Where a task runs that a caller began at a server that drains. */
  placeOf({ server: name, id }: TaskName, caller: Caller): { readonly server: Upstream; readonly lane: Lane } | undefined {
    for (const server of this.#named(name)) {
      const lane = server.lanes.ifOpen(caller);
      if (lane?.begunTasks.has(id) === true) return { server, lane };
    }
    return undefined;
  }

  /** The login of a principal has ended, so its connections end too. */
  async loginEnded(name: string, principal: string): Promise<void> {
    await Promise.all(this.#named(name).map((server) => server.loginChanged(principal, true)));
  }

  #named(name: string): Upstream[] {
    return [...this.#servers].filter((server) => server.name === name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()));
  }
}
