/**
 * Listens on the stateless revisions: a request that stays open for as long as the stream.
 *
 * If the request is cut off while the connection continues, it is sent again.
 */
import { LinkedAbort, onAbort } from "../../base/abort.ts";
import { isJsonObject, type JsonObject, type RequestId } from "../../jsonrpc/message.ts";
import { RequestTimeoutError, ConnectionLostError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { SubscriptionFilter } from "../../protocol/lifecycle.ts";
import { CURSOR_KEY, REREAD_KEY } from "../../protocol/tenon-keys.ts";
import { SUBSCRIPTION_ID_KEY } from "../../protocol/meta-keys.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { Backoff } from "../http/session/resumption.ts";
import { ChangeStream } from "./change-stream.ts";
import { changeOf, resourcesOf, isWanted, type ListenFilter } from "./changes.ts";
import type { RequestOptions } from "../../dispatch/dispatcher.ts";
import type { Pauses } from "../../dispatch/pauses.ts";
import { statusOf } from "../http/errors.ts";
import type { Inbox } from "../inbox.ts";

export interface StatelessHost {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
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
    keepWatching(host, filter, { stream, known: {}, signal: abort.signal, onWatching: () => resolve(stream) }).then(
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

/** The longest name of a change that a client keeps. */
const MAX_CURSOR = 256;

interface WatchParts {
  readonly stream: ChangeStream;
  /** The last change that the client knows, if the server names its changes. */
  readonly known: { cursor?: string | undefined };
  readonly signal: AbortSignal;
  /** Called when the server watches. `complete`: what the client has missed since `known` follows. */
  readonly onWatching: (requestId: RequestId, complete: boolean) => void;
}

/**
 * Watches until the server ends it. If a watch is cut off while the connection continues, it begins again. Everything that is watched then
 * counts as changed, unless the server sends what was missed.
 */
async function keepWatching(host: StatelessHost, filter: ListenFilter, { stream, known, signal, onWatching }: WatchParts): Promise<void> {
  const backoff = new Backoff();
  let watched = false;
  for (;;) {
    const begin = host.clock.now();
    const onAcknowledged = (requestId: RequestId, complete: boolean): void => {
      if (!watched) onWatching(requestId, complete);
      else if (!complete) announceGap(host.inbox, filter, requestId);
      watched = true;
    };
    let failure: unknown;
    try {
      const { _meta: meta } = await watchOnce(host, filter, { stream, known, signal, onWatching: onAcknowledged });
      // A server that names its last change goes on elsewhere: the client reached another node, and this one ends.
      if (cursorIn(meta) === undefined || signal.aborted || host.ended.aborted) return;
    } catch (error) {
      if (!isTemporary(error) || !watched || signal.aborted || host.ended.aborted) throw error;
      failure = error;
    }
    backoff.lasted(host.clock.now() - begin);
    const wait = backoff.next();
    if (wait === undefined && failure === undefined) return;
    if (wait === undefined) throw failure;
    const over = new LinkedAbort(signal, host.ended);
    await sleep(host.clock, wait, over.signal).finally(() => over.unlink());
  }
}

/**
 * Sends one `subscriptions/listen`. Its id tags every message on the stream, and the acknowledgement comes first (MCP 2026-07-28,
 * Subscriptions).
 */
function watchOnce(host: StatelessHost, filter: ListenFilter, { stream, known, signal, onWatching }: WatchParts): Promise<JsonObject> {
  const requestId = host.nextStreamId();
  const late = new LinkedAbort(signal);
  // Only the acknowledgement has a time limit, not the stream.
  const tooLate = (): void => late.abort(new RequestTimeoutError("subscriptions/listen", host.timeout));
  const stopTimer = host.pauses.startTimer(host.timeout, tooLate);
  let acknowledged = false;
  let early = 0;
  const reportEarly = (): void => {
    if (early > 0)
      host.report(new ProtocolViolationError(`${early} notifications came before their subscription was acknowledged: dropped`));
    early = 0;
  };
  const stop = host.inbox.subscribe((method, params) => {
    const meta = params["_meta"];
    if (!isJsonObject(meta) || meta[SUBSCRIPTION_ID_KEY] !== requestId) return;
    if (method === "notifications/subscriptions/acknowledged" && !acknowledged) {
      acknowledged = true;
      stopTimer();
      reportEarly();
      const resumed = known.cursor !== undefined && meta[REREAD_KEY] !== true;
      known.cursor = cursorIn(meta);
      return onWatching(requestId, resumed && known.cursor !== undefined);
    }
    if (!acknowledged) return void early++;
    const change = changeOf(method, params);
    if (change === undefined) return;
    known.cursor = cursorIn(meta) ?? known.cursor;
    stream.push(change);
  });
  // A server may end it by its result or by a cancel. The first counts; the second is ignored.
  const resultOfCancel = { resultType: "complete", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
  const options = { requestId, resultOfCancel, timeout: Infinity, signal: late.signal };
  const meta = known.cursor === undefined ? {} : { _meta: { [CURSOR_KEY]: known.cursor } };
  return host.request("subscriptions/listen", { notifications: toFilter(filter), ...meta }, options).finally(() => {
    late.unlink();
    stopTimer();
    stop();
    reportEarly();
  });
}

function cursorIn(meta: unknown): string | undefined {
  const cursor = isJsonObject(meta) ? meta[CURSOR_KEY] : undefined;
  return typeof cursor === "string" && cursor.length <= MAX_CURSOR ? cursor : undefined;
}

/** HTTP statuses of a balancer or a server that cannot serve now. */
const UNAVAILABLE: ReadonlySet<number | undefined> = new Set([502, 503, 504]);

/** Whether a watch that failed can succeed when it is tried again. */
export function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionLostError || error instanceof RequestTimeoutError || UNAVAILABLE.has(statusOf(error));
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
