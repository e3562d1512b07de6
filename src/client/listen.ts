/** Opens a {@link ChangeStream}, in the way of the revision that was agreed on. */
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError } from "../jsonrpc/mcp-error.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import { changeOf, ChangeStream, wants, type ListenFilter } from "./changes.ts";
import type { Inbox } from "./inbox.ts";
import type { Watches } from "./watches.ts";

/** What listening needs of the client. */
export interface Listening {
  readonly stateless: boolean;
  readonly inbox: Inbox;
  readonly watches: Watches;
  /** The id of a request that opens a stream, unique on this connection. */
  nextStreamId(): RequestId;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  request(
    method: string,
    params: JsonObject,
    options?: { requestId?: RequestId; timeout?: number; signal?: AbortSignal },
  ): Promise<JsonObject>;
}

/** Resolves once the server watches. @throws McpError where it does not */
export function openChanges(client: Listening, filter: ListenFilter): Promise<ChangeStream> {
  return client.stateless ? listenStateless(client, filter) : listenStateful(client, filter);
}

async function listenStateful(client: Listening, filter: ListenFilter): Promise<ChangeStream> {
  const { ended } = client;
  if (ended.aborted) throw new ConnectionClosedError();
  const uris = Array.isArray(filter.resources) ? (filter.resources as readonly string[]) : [];
  const lose = (): void => stream.end(new ConnectionClosedError());
  const stream = new ChangeStream(async () => {
    stop();
    ended.removeEventListener("abort", lose);
    await Promise.allSettled(uris.map((uri) => client.watches.remove(uri)));
  });
  const stop = client.inbox.subscribe((method, params) => {
    const change = changeOf(method, params);
    if (change && wants(filter, change)) stream.push(change);
  });
  ended.addEventListener("abort", lose);
  try {
    await Promise.all(uris.map((uri) => client.watches.add(uri)));
  } catch (error) {
    await stream.close();
    throw error;
  }
  return stream;
}

/** The request's own id tags everything on the stream; the acknowledgement comes first (I4). */
function listenStateless(client: Listening, filter: ListenFilter): Promise<ChangeStream> {
  const requestId = client.nextStreamId();
  const abort = new AbortController();
  return new Promise((resolve, reject) => {
    const stream = new ChangeStream(() => {
      stop();
      abort.abort();
      return Promise.resolve();
    });
    const stop = client.inbox.subscribe((method, params) => {
      const meta = params["_meta"];
      if (!isJsonObject(meta) || meta[SUBSCRIPTION_ID_KEY] !== requestId) return;
      if (method === "notifications/subscriptions/acknowledged") return resolve(stream);
      const change = changeOf(method, params);
      if (change) stream.push(change);
    });
    client
      .request("subscriptions/listen", { notifications: toFilter(filter) }, { requestId, timeout: Infinity, signal: abort.signal })
      .then(
        () => {
          stop();
          stream.end();
          resolve(stream);
        },
        (error: unknown) => {
          stop();
          stream.end(abort.signal.aborted ? undefined : error);
          reject(error);
        },
      );
  });
}

function toFilter({ tools, prompts, resources }: ListenFilter): SubscriptionFilter {
  const filter: SubscriptionFilter = {};
  if (tools) filter.toolsListChanged = true;
  if (prompts) filter.promptsListChanged = true;
  if (resources === true) filter.resourcesListChanged = true;
  else if (resources) filter.resourceSubscriptions = resources;
  return filter;
}
