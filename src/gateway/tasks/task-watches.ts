/**
 * Tasks of one server whose changes its clients want to hear of: what the server announces, by the id of the task.
 *
 * A server with sessions announces its tasks unasked; one without is asked to (`task-stream.ts`). What was announced while there was no
 * connection is missed, so a new connection counts as a change of every task.
 */
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import { streamTask } from "./task-stream.ts";

/** What the watches need of their lane. */
export interface TaskWatchesHost {
  readonly clock: Clock;
  /** The open connection; undefined while there is none. */
  client(): Client | undefined;
  report(error: unknown, method: string): void;
}

/** One caller's watch of one task. */
interface Watch {
  readonly taskId: string;
  readonly identity: ClientIdentity;
  readonly changed: () => void;
  /** Ends the request for it on the newest connection. */
  end: () => void;
}

export class TaskWatches {
  readonly #host: TaskWatchesHost;
  readonly #watching = new Map<string, Set<Watch>>();

  constructor(host: TaskWatchesHost) {
    this.#host = host;
  }

  get isEmpty(): boolean {
    return this.#watching.size === 0;
  }

  /** Calls `changed` when the state of the task may have changed. Returns a function that ends it. */
  add(taskId: string, identity: ClientIdentity, changed: () => void): () => void {
    const watch: Watch = { taskId, identity, changed, end: () => undefined };
    const all = this.#watching.get(taskId) ?? new Set();
    this.#watching.set(taskId, all.add(watch));
    this.#begin(watch);
    return () => {
      all.delete(watch);
      if (all.size === 0 && this.#watching.get(taskId) === all) this.#watching.delete(taskId);
      watch.end();
    };
  }

  /** Watches all of them on a new connection. */
  reopen(): void {
    for (const watch of [...this.#watching.values()].flatMap((all) => [...all])) {
      watch.end();
      this.#begin(watch);
      watch.changed();
    }
  }

  #begin(watch: Watch): void {
    const client = this.#host.client();
    if (client?.connection.codec.stateless !== true) return;
    const abort = new AbortController();
    watch.end = () => abort.abort();
    const { taskId, identity, changed: begun } = watch;
    streamTask({ client, taskId, identity, clock: this.#host.clock, begun }, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) this.#host.report(error, "subscriptions/listen"); // the client asks about its task itself too
    });
  }

  /** The server has announced the state of a task. */
  announced({ taskId }: JsonObject): void {
    for (const { changed } of [...(this.#watching.get(taskId as string) ?? [])]) changed(); // another value is no key
  }
}
