/**
 * What an official `Client` hears of unasked with a handshake, and must watch for on the newest revision: changes of lists, and of the
 * resources that it subscribed to. The notifications reach it by the client below.
 */
import type { JsonObject } from "tenon";
import type { Client, ListenFilter } from "tenon/client";
import { CHANGED } from "./changed-lists.ts";
import type { OfficialClientParts } from "./client-parts.ts";

export class Watching {
  readonly #client: Client;
  readonly #official: OfficialClientParts;
  readonly #failed: (error: Error) => void;
  readonly #lists = new Set<string>();
  readonly #resources = new Map<string, AbortController>();

  constructor(client: Client, official: OfficialClientParts, failed: (error: Error) => void) {
    this.#client = client;
    this.#official = official;
    this.#failed = failed;
  }

  /** Watches each list that the server announces and that has a handler, once. Resolves when the server watches. */
  async lists(): Promise<void> {
    const { _notificationHandlers, fallbackNotificationHandler } = this.#official;
    const { serverCapabilities } = this.#client;
    const changed = [...CHANGED].filter(
      ([method, kind]) =>
        !this.#lists.has(kind) &&
        serverCapabilities[kind]?.listChanged === true &&
        (fallbackNotificationHandler !== undefined || _notificationHandlers.has(method)),
    );
    for (const [, kind] of changed) this.#lists.add(kind);
    await Promise.all(changed.map(([, kind]) => this.#watch({ [kind]: true }, undefined).catch(this.#failed)));
  }

  /** Watches a resource, as `resources/subscribe` does. */
  async resource(uri: string): Promise<JsonObject> {
    if (this.#resources.has(uri)) return {};
    const abort = new AbortController();
    this.#resources.set(uri, abort);
    await this.#watch({ resources: [uri] }, abort.signal);
    return {};
  }

  async leave(uri: string): Promise<JsonObject> {
    this.#resources.get(uri)?.abort();
    this.#resources.delete(uri);
    return {};
  }

  /** Opens a stream, and reads it to its end: what comes is delivered as notifications. */
  async #watch(filter: ListenFilter, signal: AbortSignal | undefined): Promise<void> {
    const stream = await this.#client.listen(filter, { ...(signal && { signal }) });
    void (async () => {
      for await (const _change of stream);
    })().catch((error: unknown) => this.#failed(error instanceof Error ? error : new Error(String(error))));
  }
}
