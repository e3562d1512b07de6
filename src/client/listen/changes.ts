/**
 * Watching a server for changes: of its lists, and of single resources.
 *
 * On stateless revisions this is a `subscriptions/listen` request that stays open; on stateful ones the server tells
 * unasked and single resources are subscribed to. The stream looks the same.
 */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** What to watch. */
export interface ListenFilter {
  /** Whether the list of tools is watched. Default false. */
  tools?: boolean;
  /** Whether the list of prompts is watched. Default false. */
  prompts?: boolean;
  /** `true`: the list; URIs: these resources; `{ list: true, uris: [...] }`: both. */
  resources?: boolean | readonly string[] | ResourceFilter;
}

/** Which changes of resources are wanted. */
export interface ResourceFilter {
  /** Whether the list of resources is watched. Default false. */
  list?: boolean;
  /** The resources that are watched, byte for byte. */
  uris?: readonly string[];
}

/** What a filter asks for of resources, in full. */
export function resourcesOf({ resources = false }: ListenFilter): Required<ResourceFilter> {
  if (typeof resources === "boolean") return { list: resources, uris: [] };
  if (isList(resources)) return { list: false, uris: resources };
  return { list: resources.list ?? false, uris: resources.uris ?? [] };
}

function isList(resources: readonly string[] | ResourceFilter): resources is readonly string[] {
  return Array.isArray(resources);
}

/** Options of {@link Client.listen}. */
export interface ListenOptions {
  /** Gives up waiting for the server to watch, or ends the stream: its reader gets `signal.reason`. */
  signal?: AbortSignal;
}

/** Something is different now, by its `kind`: a list, or the resource `uri` (I1). */
export type ServerChange = { readonly kind: "tools" | "prompts" | "resources" } | { readonly kind: "resource"; readonly uri: string };

const LIST_KINDS: ReadonlyMap<string, "tools" | "prompts" | "resources"> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/prompts/list_changed", "prompts"],
  ["notifications/resources/list_changed", "resources"],
]);

/** The change a notification tells of; undefined where it is about something else. */
export function changeOf(method: string, params: JsonObject): ServerChange | undefined {
  const kind = LIST_KINDS.get(method);
  if (kind !== undefined) return { kind };
  const { uri } = params;
  return method === "notifications/resources/updated" && typeof uri === "string" ? { kind: "resource", uri } : undefined;
}

/** Whether a filter asks for that change. */
export function wants(filter: ListenFilter, change: ServerChange): boolean {
  if (change.kind === "resource") return resourcesOf(filter).uris.includes(change.uri);
  return change.kind === "resources" ? resourcesOf(filter).list : filter[change.kind] === true;
}

/**
 * The changes, in order, for one reader. Changes nobody has read yet are kept once each, so a slow reader costs no
 * memory. Ends when it is closed or the server ends it; a lost connection ends it with that error.
 */
export class ChangeStream implements AsyncIterableIterator<ServerChange, undefined> {
  readonly #release: () => Promise<void>;
  readonly #waiting = new Map<string, ServerChange>();
  #reader: { resolve(result: IteratorResult<ServerChange, undefined>): void; reject(error: unknown): void } | undefined;
  #ended = false;
  #error: unknown;
  #released: Promise<void> | undefined;

  /** @internal */
  constructor(release: () => Promise<void>) {
    this.#release = release;
  }

  /** @internal */
  push(change: ServerChange): void {
    if (this.#ended) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader.resolve({ done: false, value: change });
    else this.#waiting.set(change.kind === "resource" ? `resource ${change.uri}` : change.kind, change);
  }

  /** @internal Nothing more will come. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) this.#finish(reader);
  }

  /**
   * The next change; waits for one. `done` once the stream has ended.
   * @throws McpUsageError (rejects) for a second reader, and what the stream ended with
   */
  next(): Promise<IteratorResult<ServerChange, undefined>> {
    for (const [key, value] of this.#waiting) {
      this.#waiting.delete(key);
      return Promise.resolve({ done: false, value });
    }
    if (this.#reader !== undefined) return Promise.reject(new McpUsageError("A change stream has one reader"));
    return new Promise((resolve, reject) => {
      if (this.#ended) this.#finish({ resolve, reject });
      else this.#reader = { resolve, reject };
    });
  }

  #finish(reader: { resolve(result: IteratorResult<ServerChange, undefined>): void; reject(error: unknown): void }): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
  }

  /** Stops watching. Idempotent. */
  close(): Promise<void> {
    this.end();
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Stops watching: what leaving a `for await` loop does. */
  async return(): Promise<IteratorResult<ServerChange, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  /** @internal The signal of the reader aborted: the reader gets its reason, and the server need not watch any more. */
  abandon(reason: unknown): void {
    this.end(reason);
    void this.close();
  }

  /** The stream itself, which can be read once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
