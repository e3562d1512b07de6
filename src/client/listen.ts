/** Opens a {@link ChangeStream}, in the way of the revision that was agreed on. */
import { onAbort } from "../base/abort-listeners.ts";
import type { JsonObject, RequestId } from "../jsonrpc/message.ts";
import { isJsonObject } from "../jsonrpc/message.ts";
import { ConnectionClosedError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { SubscriptionFilter } from "../protocol/lifecycle.ts";
import { systemClock, type Clock } from "../dispatch/clock.ts";
import type { RequestOptions } from "../dispatch/dispatcher.ts";
import { withDefaults } from "../dispatch/limits.ts";
import { changeOf, ChangeStream, resourcesOf, wants, type ListenFilter, type ListenOptions } from "./changes.ts";
import { Backoff } from "../transport/http-client/backoff.ts";
import { ConnectionLostError } from "../transport/http-client/http-errors.ts";
import type { ClientSession } from "./client-session.ts";
import type { Inbox } from "./inbox.ts";
import { setPatientTimer } from "./patient-timer.ts";
import { sleep } from "../dispatch/sleep.ts";
import { unlessAborted } from "../dispatch/unless-aborted.ts";
import { Watches } from "./watches.ts";

/** What listening needs of the session. */
interface Listening {
  readonly inbox: Inbox;
  readonly watches: Watches;
  /** The id of a request that opens a stream, unique on this connection. */
  nextStreamId(): RequestId;
  /** Aborts when the connection has ended. */
  readonly ended: AbortSignal;
  /** Milliseconds a server has to say that it watches. */
  readonly timeout: number;
  /** When this side last held requests up. */
  readonly heldUntil: (() => number) | undefined;
  readonly clock: Clock;
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}

/**
 * How changes are watched for on a session. What it returns resolves once the server watches.
 * @throws McpError where it does not
 */
export function listenOn(session: ClientSession): (filter: ListenFilter, options?: ListenOptions) => Promise<ChangeStream> {
  const { link, inbox, ended, options } = session;
  let streams = 0;
  const request: Listening["request"] = (method, params, callOptions) => session.request(method, params, callOptions);
  const client: Listening = {
    inbox,
    ended,
    request,
    watches: new Watches(request),
    nextStreamId: () => `listen-${++streams}`,
    timeout: withDefaults(options).timeout,
    heldUntil: link.dispatcher.heldUntil,
    clock: options.clock ?? systemClock,
  };
  return async (filter, { signal } = {}) => {
    signal?.throwIfAborted();
    return link.codec.stateless ? listenStateless(client, filter, signal) : listenStateful(client, filter, signal);
  };
}

/** Ends a stream with the reason when its signal aborts. Returns how to stop waiting for that. */
function endOnAbort(signal: AbortSignal | undefined, stream: () => ChangeStream): () => void {
  if (signal === undefined) return () => undefined;
  return onAbort(signal, () => {
    stream().end(signal.reason);
    void stream().close();
  });
}

async function listenStateful(client: Listening, filter: ListenFilter, signal: AbortSignal | undefined): Promise<ChangeStream> {
  const { ended } = client;
  if (ended.aborted) throw new ConnectionClosedError();
  const { uris } = resourcesOf(filter);
  const stream = new ChangeStream(async () => {
    stop();
    release();
    stopWaiting();
    await Promise.allSettled(uris.map((uri) => client.watches.remove(uri)));
  });
  const stop = client.inbox.subscribe((method, params) => {
    const change = changeOf(method, params);
    if (change && wants(filter, change)) stream.push(change);
  });
  const release = endOnAbort(signal, () => stream);
  const stopWaiting = onAbort(ended, () => stream.end(new ConnectionClosedError()));
  try {
    await unlessAborted(Promise.all(uris.map((uri) => client.watches.add(uri))), signal);
  } catch (error) {
    await stream.close();
    throw error;
  }
  return stream;
}

/** Resolves with the stream once the server watches for the first time. */
function listenStateless(client: Listening, filter: ListenFilter, signal: AbortSignal | undefined): Promise<ChangeStream> {
  const abort = new AbortController();
  const stream = new ChangeStream(() => {
    release();
    abort.abort();
    return Promise.resolve();
  });
  const release = endOnAbort(signal, () => stream);
  return new Promise((resolve, reject) => {
    keepWatching(client, filter, { stream, signal: abort.signal, onWatching: () => resolve(stream) }).then(
      () => {
        release();
        stream.end();
        resolve(stream);
      },
      (error: unknown) => {
        release();
        stream.end(abort.signal.aborted ? undefined : error);
        reject(signal?.aborted ? signal.reason : error);
      },
    );
  });
}

interface Watching {
  readonly stream: ChangeStream;
  /** Aborts when nobody wants to know any more. */
  readonly signal: AbortSignal;
  /** The server watches. */
  readonly onWatching: (requestId: RequestId) => void;
}

/** A watch that held this long, in ms, did not flap. */
const STEADY = 10_000;

/**
 * Watches until the server ends it. A watch that is cut off, where the connection itself goes on, begins again; what may
 * have been missed in between counts as having happened (U2, I9).
 */
async function keepWatching(client: Listening, filter: ListenFilter, { stream, signal, onWatching }: Watching): Promise<void> {
  const backoff = new Backoff();
  let watched = false;
  for (;;) {
    const begin = client.clock.now();
    const onAcknowledged = (requestId: RequestId): void => {
      if (watched) announceGap(client.inbox, filter, requestId);
      else onWatching(requestId);
      watched = true;
    };
    try {
      await watchOnce(client, filter, { stream, signal, onWatching: onAcknowledged });
      return;
    } catch (error) {
      const again = error instanceof ConnectionLostError || error instanceof RequestTimeoutError;
      if (!again || !watched || signal.aborted || client.ended.aborted) throw error;
      if (client.clock.now() - begin >= STEADY) backoff.progressed();
      const wait = backoff.next();
      if (wait === undefined) throw error;
      await sleep(client.clock, wait, AbortSignal.any([signal, client.ended]));
    }
  }
}

/** One `subscriptions/listen`. Its own id tags everything on the stream; the acknowledgement comes first (I4, U1). */
function watchOnce(client: Listening, filter: ListenFilter, { stream, signal, onWatching }: Watching): Promise<unknown> {
  const requestId = client.nextStreamId();
  const late = new AbortController();
  // The stream itself has no time limit, its acknowledgement has.
  const tooLate = (): void => late.abort(new RequestTimeoutError("subscriptions/listen", client.timeout));
  const stopTimer = setPatientTimer(client.clock, client.timeout, client.heldUntil, tooLate);
  let acknowledged = false;
  const stop = client.inbox.subscribe((method, params) => {
    const meta = params["_meta"];
    if (!isJsonObject(meta) || meta[SUBSCRIPTION_ID_KEY] !== requestId) return;
    if (method === "notifications/subscriptions/acknowledged" && !acknowledged) {
      acknowledged = true;
      stopTimer();
      return onWatching(requestId);
    }
    const change = acknowledged ? changeOf(method, params) : undefined;
    if (change) stream.push(change);
  });
  // A server may end it by its result, or by a cancel: either counts, and what comes second is ignored (Z1).
  const resultOfCancel = { resultType: "complete", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
  const options = { requestId, resultOfCancel, timeout: Infinity, signal: AbortSignal.any([signal, late.signal]) };
  return client.request("subscriptions/listen", { notifications: toFilter(filter) }, options).finally(() => {
    stopTimer();
    stop();
  });
}

/** Everything that is watched may have changed. Told to all of the client, so that nothing old is kept. */
function announceGap(inbox: Inbox, filter: ListenFilter, requestId: RequestId): void {
  const tag = { _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
  for (const kind of ["tools", "prompts", "resources"] as const) {
    if (wants(filter, { kind })) inbox.announce(`notifications/${kind}/list_changed`, tag);
  }
  for (const uri of resourcesOf(filter).uris) inbox.announce("notifications/resources/updated", { uri, ...tag });
}

function toFilter(wanted: ListenFilter): SubscriptionFilter {
  const { list, uris } = resourcesOf(wanted);
  const filter: SubscriptionFilter = {};
  if (wanted.tools) filter.toolsListChanged = true;
  if (wanted.prompts) filter.promptsListChanged = true;
  if (list) filter.resourcesListChanged = true;
  if (uris.length > 0) filter.resourceSubscriptions = uris;
  return filter;
}
