/**
 * Tasks of one server whose changes its clients want to hear of: what the server announces, by the id of the task.
 *
 * A server with sessions announces its tasks unasked; one without is asked to, on a request that stays open. What a server does not announce,
 * or announces while there is no connection, is missed: clients ask about their tasks themselves too.
 */
import type { ServerConnection } from "../../client/connection.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientIdentity } from "../../wire/codec.ts";

export class TaskWatches {
  readonly #watching = new Map<string, Set<() => void>>();

  get isEmpty(): boolean {
    return this.#watching.size === 0;
  }

  /** Calls `changed` when the server announces a state of the task. Returns a function that ends it. */
  add(taskId: string, changed: () => void, { codec, dispatcher }: ServerConnection, identity: ClientIdentity): () => void {
    const own = (): void => changed(); // its own identity: one function may watch twice
    const all = this.#watching.get(taskId) ?? new Set();
    this.#watching.set(taskId, all.add(own));
    const abort = new AbortController();
    if (codec.stateless) {
      const params = codec.encodeRequest("subscriptions/listen", { notifications: { taskIds: [taskId] } }, identity);
      const options = { signal: abort.signal, timeout: Infinity, maxTotalTimeout: Infinity };
      dispatcher.request("subscriptions/listen", params, options).catch(() => undefined); // the client asks about its task itself
    }
    return () => {
      all.delete(own);
      if (all.size === 0 && this.#watching.get(taskId) === all) this.#watching.delete(taskId);
      abort.abort();
    };
  }

  /** The server has announced the state of a task. */
  announced({ taskId }: JsonObject): void {
    for (const changed of [...(this.#watching.get(taskId as string) ?? [])]) changed(); // another value is no key
  }
}
