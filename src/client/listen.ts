/** Opens a {@link ChangeStream}, in the way of the revision that was agreed on. */
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import { MAX_TIMER_MS, type Clock } from "../dispatch/clock.ts";
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
  /** Milliseconds a server has to say that it watches. */
  readonly timeout: number;
  readonly clock: Clock;
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
    // The stream itself has no time limit, its acknowledgement has.
    const tooLate = (): void => abort.abort(new RequestTimeoutError("subscriptions/listen", client.timeout));
    const timer = client.timeout === Infinity ? undefined : client.clock.setTimer(Math.min(client.timeout, MAX_TIMER_MS), tooLate);
    const stream = new ChangeStream(() => {
      stop();
      abort.abort();
      return Promise.resolve();
    });
    const stop = client.inbox.subscribe((method, params) => {
      const meta = params["_meta"];
      if (!isJsonObject(meta) || meta[SUBSCRIPTION_ID_KEY] !== requestId) return;
      if (method === "notifications/subscriptions/acknowledged") {
        client.clock.clearTimer(timer);
        return resolve(stream);
      }
      const change = changeOf(method, params);
      if (change) stream.push(change);
    });
    client
      .request("subscriptions/listen", { notifications: toFilter(filter) }, { requestId, timeout: Infinity, signal: abort.signal })
      .then(
        () => {
          client.clock.clearTimer(timer);
          stop();
          stream.end();
          resolve(stream);
        },
        (error: unknown) => {
          client.clock.clearTimer(timer);
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
