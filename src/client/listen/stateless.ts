/**
 * Listens on the stateless revisions: a request that stays open for as long as the stream.
 *
 * If the request is cut off while the connection continues, it is sent again.
 */
import { LinkedAbort, onAbort } from "../../base/abort.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../../jsonrpc/message.ts";
import { RequestTimeoutError, ConnectionLostError } from "../../jsonrpc/mcp-error.ts";
import type { SubscriptionFilter } from "../../protocol/lifecycle.ts";
import { SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { Backoff } from "../../base/backoff.ts";
import { ChangeStream } from "./change-stream.ts";
import { changeOf, resourcesOf, isWanted, type ListenFilter } from "./changes.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import type { Inbox } from "../inbox.ts";

/** What listening needs of the session. */
export interface StatelessHost {
  readonly inbox: Inbox;
  readonly clock: Clock;
  /** Milliseconds a server has to acknowledge. */
  readonly timeout: number;
  readonly pauses: Pauses;
  /** Aborts when the connection ends. */
  readonly ended: AbortSignal;
  /** The id of a request that opens a stream, unique on this connection. */
  nextStreamId(): RequestId;
  /** Sends a request through the middleware. */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject>;
}

/** Resolves with the stream once the server watches for the first time. */
export function listenStateless(host: StatelessHost, filter: ListenFilter, signal: AbortSignal | undefined): Promise<ChangeStream> {
  const abort = new AbortController();
  const stream = new ChangeStream(() => {
    release?.();
    abort.abort();
    return Promise.resolve();
  });
  const release = signal && onAbort(signal, () => void stream.close());
  return new Promise((resolve, reject) => {
    keepWatching(host, filter, { stream, signal: abort.signal, onWatching: () => resolve(stream) }).then(
      () => {
        release?.();
        stream.end();
        resolve(stream);
      },
      (error: unknown) => {
        release?.();
        stream.end(abort.signal.aborted ? undefined : error);
        reject(signal?.aborted ? signal.reason : error);
      },
    );
  });
}

interface WatchParts {
  readonly stream: ChangeStream;
  /** Aborts when the stream is closed. */
  readonly signal: AbortSignal;
  /** Called when the server watches. */
  readonly onWatching: (requestId: RequestId) => void;
}

/** Milliseconds after which a watch counts as stable. */
const STEADY = 10_000;

/**
 * Watches until the server ends it. If a watch is cut off while the connection continues, it begins again, and everything that is
 * watched counts as changed.
 */
async function keepWatching(host: StatelessHost, filter: ListenFilter, { stream, signal, onWatching }: WatchParts): Promise<void> {
  const backoff = new Backoff();
  let watched = false;
  for (;;) {
    const begin = host.clock.now();
    const onAcknowledged = (requestId: RequestId): void => {
      if (watched) announceGap(host.inbox, filter, requestId);
      else onWatching(requestId);
      watched = true;
    };
    try {
      await watchOnce(host, filter, { stream, signal, onWatching: onAcknowledged });
      return;
    } catch (error) {
      const again = error instanceof ConnectionLostError || error instanceof RequestTimeoutError;
      if (!again || !watched || signal.aborted || host.ended.aborted) throw error;
      if (host.clock.now() - begin >= STEADY) backoff.progressed();
      const wait = backoff.next();
      if (wait === undefined) throw error;
      const over = new LinkedAbort(signal, host.ended);
      await sleep(host.clock, wait, over.signal).finally(() => over.unlink());
    }
  }
}

/**
 * Sends one `subscriptions/listen`. Its id tags every message on the stream, and the acknowledgement comes first (MCP 2026-07-28,
 * Subscriptions).
 */
function watchOnce(host: StatelessHost, filter: ListenFilter, { stream, signal, onWatching }: WatchParts): Promise<unknown> {
  const requestId = host.nextStreamId();
  const late = new LinkedAbort(signal);
  // Only the acknowledgement has a time limit, not the stream.
  const tooLate = (): void => late.abort(new RequestTimeoutError("subscriptions/listen", host.timeout));
  const stopTimer = host.pauses.startTimer(host.timeout, tooLate);
  let acknowledged = false;
  const stop = host.inbox.subscribe((method, params) => {
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
  // A server may end it by its result or by a cancel. The first counts; the second is ignored.
  const resultOfCancel = { resultType: "complete", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
  const options = { requestId, resultOfCancel, timeout: Infinity, signal: late.signal };
  return host.request("subscriptions/listen", { notifications: toFilter(filter) }, options).finally(() => {
    late.unlink();
    stopTimer();
    stop();
  });
}

/** Announces that everything watched may have changed, to all parts of the client, so that caches drop old results. */
function announceGap(inbox: Inbox, filter: ListenFilter, requestId: RequestId): void {
  const tag = { _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
  for (const kind of ["tools", "prompts", "resources"] as const) {
    if (isWanted(filter, { kind })) inbox.announce(`notifications/${kind}/list_changed`, tag);
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
