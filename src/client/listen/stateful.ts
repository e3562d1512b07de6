/** Listening on the revisions that announce every change by themselves: the stream picks what it wants, and has resources watched. */
import { onAbort, unlessAborted } from "../../base/abort.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { changeOf, ChangeStream, resourcesOf, wants, type ListenFilter } from "./changes.ts";
import type { Listening } from "./listening.ts";

/** Resolves with the stream once the server watches the resources. @throws McpError where it does not */
export async function listenStateful(client: Listening, filter: ListenFilter, signal: AbortSignal | undefined): Promise<ChangeStream> {
  const { ended } = client;
  if (ended.aborted) throw new ConnectionClosedError();
  const { uris } = resourcesOf(filter);
  const stream = new ChangeStream(async () => {
    stop();
    release?.();
    stopWaiting();
    await Promise.allSettled(uris.map((uri) => client.watches.remove(uri)));
  });
  const stop = client.inbox.subscribe((method, params) => {
    const change = changeOf(method, params);
    if (change && wants(filter, change)) stream.push(change);
  });
  const release = signal && onAbort(signal, () => stream.abandon(signal.reason));
  const stopWaiting = onAbort(ended, () => stream.end(new ConnectionClosedError()));
  try {
    await unlessAborted(Promise.all(uris.map((uri) => client.watches.add(uri))), signal);
  } catch (error) {
    await stream.close();
    throw error;
  }
  return stream;
}
