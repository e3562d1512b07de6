/**
 * Listens on the stateful revisions. The server announces every change of a list unasked, and changes of a resource after a
 * subscription. The stream takes those in its filter.
 */
import { onAbort, unlessAborted } from "../../base/abort.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { ChangeStream } from "./change-stream.ts";
import { changeOf, resourcesOf, isWanted, type ListenFilter } from "./changes.ts";
import type { StatelessHost } from "./stateless.ts";

/** Resolves with the stream once the server watches the resources. @throws McpError if it does not */
export async function listenStateful(
  host: Pick<StatelessHost, "inbox" | "ended"> & { readonly watches: Watches },
  filter: ListenFilter,
  signal: AbortSignal | undefined,
): Promise<ChangeStream> {
  const { ended } = host;
  if (ended.aborted) throw new ConnectionClosedError();
  const { uris } = resourcesOf(filter);
  const stream = new ChangeStream(async () => {
    stop();
    release?.();
    stopWaiting();
    await Promise.allSettled(uris.map((uri) => host.watches.remove(uri)));
  });
  const stop = host.inbox.subscribe((method, params) => {
    const change = changeOf(method, params);
    if (change && isWanted(filter, change)) stream.push(change);
  });
  const release = signal && onAbort(signal, () => void stream.close());
  const stopWaiting = onAbort(ended, () => stream.end(new ConnectionClosedError()));
  try {
    await unlessAborted(Promise.all(uris.map((uri) => host.watches.add(uri))), signal);
  } catch (error) {
    await stream.close();
    throw error;
  }
  return stream;
}

/**
 * The resources that a connection is subscribed to for its open streams. The server counts one subscription for each resource, so
 * the first stream subscribes and the last one unsubscribes.
 */
export class Watches {
  readonly #request: (method: string, params: { uri: string }) => Promise<unknown>;
  readonly #watches = new Map<string, { streams: number; readonly subscribed: Promise<unknown> }>();

  constructor(request: (method: string, params: { uri: string }) => Promise<unknown>) {
    this.#request = request;
  }

  /** Resolves once the server watches that resource. Each call needs a {@link Watches.remove}, even if it failed. */
  async add(uri: string): Promise<void> {
    const watch = this.#watches.get(uri) ?? { streams: 0, subscribed: this.#request("resources/subscribe", { uri }) };
    this.#watches.set(uri, watch);
    watch.streams++;
    await watch.subscribed;
  }

  async remove(uri: string): Promise<void> {
    const watch = this.#watches.get(uri);
    if (watch === undefined || --watch.streams > 0) return;
    this.#watches.delete(uri);
    await this.#request("resources/unsubscribe", { uri });
  }
}
