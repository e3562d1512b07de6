/**
 * Tasks of one server whose changes its clients want to hear of: what the server announces, by the id of the task.
 *
 * A server with sessions announces its tasks unasked; one without is asked to (`task-stream.ts`), on one request for all tasks that a client
 * begins to watch at the same time: servers bound how many requests are open. What was announced while there was no connection is missed, so a
 * new connection counts as a change of every task.
 */
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientIdentity } from "../../wire/codec.ts";
import { streamTasks } from "./task-stream.ts";

export interface TaskWatchesHost {
  readonly clock: Clock;
  client(): Client | undefined;
  report(error: unknown, method: string): void;
}

interface Watch {
  readonly taskId: string;
  readonly identity: ClientIdentity;
  readonly changed: () => void;
  /** Takes it off the request for it on the newest connection. */
  end: () => void;
}

/** Watches whose tasks are announced on one request. */
interface Batch {
  readonly identity: ClientIdentity;
  readonly watches: Set<Watch>;
  /** Aborted when no watch is left. */
  readonly abort: AbortController;
}

/** The most tasks of one request. */
export const MAX_TASKS = 100;

export class TaskWatches {
  readonly #host: TaskWatchesHost;
  /** Batches whose request is sent when the running code has ended. */
  readonly #opening = new Set<Batch>();
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
    if (this.#host.client()?.connection.codec.stateless !== true) return;
    const { watches, abort } = this.#batchFor(watch.identity);
    watches.add(watch);
    watch.end = () => {
      watches.delete(watch);
      if (watches.size === 0) abort.abort();
    };
  }

  /** Equal identities are one object. */
  #batchFor(identity: ClientIdentity): Batch {
    const known = [...this.#opening].find((batch) => batch.identity === identity && batch.watches.size < MAX_TASKS);
    if (known !== undefined) return known;
    const batch: Batch = { identity, watches: new Set(), abort: new AbortController() };
    this.#opening.add(batch);
    queueMicrotask(() => this.#open(batch));
    return batch;
  }

  #open(batch: Batch): void {
    const { identity, watches, abort } = batch;
    this.#opening.delete(batch);
    const client = this.#host.client();
    if (client === undefined || abort.signal.aborted) return;
    const taskIds = (): string[] => [...new Set([...watches].map(({ taskId }) => taskId))];
    const begun = (): void => [...watches].forEach(({ changed }) => changed());
    streamTasks({ client, taskIds, identity, clock: this.#host.clock, begun }, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) this.#host.report(error, "subscriptions/listen"); // the clients ask about their tasks themselves too
    });
  }

  /** The server has announced the state of a task. */
  announced({ taskId }: JsonObject): void {
    for (const { changed } of [...(this.#watching.get(taskId as string) ?? [])]) changed(); // another value is no key
  }
}
