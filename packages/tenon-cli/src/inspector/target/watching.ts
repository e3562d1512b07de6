/** Watches a server for changes: its lists always, and the resources that the user chose. */
import type { Client, ServerChange } from "tenon/client";
import type { ListKind } from "../entries.ts";
import type { Journal } from "../server/journal.ts";
import { toFailure } from "./failure.ts";
import type { ServerLists } from "./server-lists.ts";

export class Watching {
  readonly #target: number;
  readonly #journal: Journal;
  readonly #lists: ServerLists;
  readonly #uris = new Set<string>();
  #stop: AbortController | undefined;

  constructor(target: number, journal: Journal, lists: ServerLists) {
    this.#target = target;
    this.#journal = journal;
    this.#lists = lists;
  }

  get uris(): readonly string[] {
    return [...this.#uris];
  }

  /** Adds or removes a resource. @throws McpError if the server refuses */
  async set(client: Client, uri: string, isWatched: boolean): Promise<void> {
    if (isWatched) this.#uris.add(uri);
    else this.#uris.delete(uri);
    try {
      await this.#listen(client);
    } catch (error) {
      if (isWatched) this.#uris.delete(uri);
      throw error;
    }
  }

  /** Begins to watch. A server that refuses is reported in the journal. */
  async start(client: Client): Promise<void> {
    try {
      await this.#listen(client);
    } catch (error) {
      this.#journal.add({ kind: "problem", target: this.#target, text: `Changes cannot be watched: ${toFailure(error).message}` });
    }
  }

  async #listen(client: Client): Promise<void> {
    const { tools, prompts, resources } = client.serverCapabilities;
    const list = resources?.listChanged === true;
    const filter = { tools: tools?.listChanged === true, prompts: prompts?.listChanged === true, resources: { list, uris: this.uris } };
    const before = this.#stop;
    const stop = new AbortController();
    if (!filter.tools && !filter.prompts && !list && this.#uris.size === 0) return before?.abort();
    const changes = await client.listen(filter, { signal: stop.signal });
    this.#stop = stop;
    before?.abort();
    void this.#follow(client, changes);
  }

  async #follow(client: Client, changes: AsyncIterable<ServerChange>): Promise<void> {
    try {
      for await (const change of changes) await this.#changed(client, change);
    } catch (error) {
      this.#journal.add({ kind: "problem", target: this.#target, text: `Changes are not watched any more: ${toFailure(error).message}` });
    }
  }

  async #changed(client: Client, change: ServerChange): Promise<void> {
    const about = { kind: "change", target: this.#target } as const;
    if (change.kind === "resource") return void this.#journal.add({ ...about, text: "resource has changed", uri: change.uri });
    const kinds: readonly ListKind[] = change.kind === "resources" ? ["resources", "templates"] : [change.kind];
    const difference = await this.#lists.readAgain(client, kinds);
    this.#journal.add({ ...about, text: `${change.kind} have changed: ${difference || "the same as before"}` });
  }
}
