/**
 * Requests and notifications over a connection: the interface between methods and messages.
 *
 * A dispatcher handles requests, notifications, ids, cancellation, progress and timeouts. It knows neither MCP methods (except the
 * two notifications that these features need) nor revisions. There are two: `JsonRpcDispatcher` over any transport, and the direct
 * pair inside one process.
 */
import type { Abortable } from "../base/abort.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, JsonText, RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { TransportContext } from "../transport/transport-context.ts";
import type { ConnectionMemory } from "./connection-facts.ts";
import type { DispatcherLimits } from "./limits.ts";
import type { Pauses } from "./pauses.ts";

export type { TransportContext } from "../transport/transport-context.ts";

/** A result as the dispatcher passes it on: an object, or serialised bytes. */
export type RawResult = JsonObject | JsonText;

/** The progress of a pending request, as its receiver reported it. */
export interface Progress {
  /** How far the request is; it grows with every notification. */
  progress: number;
  /** The value of `progress` when all is done; absent if unknown. */
  total?: number;
  /** What the receiver is doing, for people. */
  message?: string;
}

/**
 * Called with each progress notification, in order. Its return value is ignored; if it throws or rejects, the error goes to `onError`
 * and changes nothing else.
 */
export type ProgressCallback = (progress: Progress) => unknown;

/** How long a request may take, who receives its progress, and how it is cancelled. All times are in milliseconds. */
export interface RequestOptions {
  /**
   * Milliseconds to wait for the response, counted from when the request was written. Default: the connection's (60 000). `0` fails
   * at once, `Infinity` never.
   */
  timeout?: number;
  /**
   * Milliseconds the call may take in all, whatever `timeout` and progress say. Default: the connection's (600 000, 10 minutes),
   * but never less than `timeout`; `Infinity` for no limit.
   */
  maxTotalTimeout?: number;
  /** Whether progress starts `timeout` again. Default true. */
  resetTimeoutOnProgress?: boolean;
  /**
   * Cancels the call: it rejects with `signal.reason`, and the peer receives `notifications/cancelled` unless `cancelOnAbandon` is
   * false.
   */
  signal?: AbortSignal;
  /** @internal Cancels the call as `signal` does, in its place: for calls that are made for an inbound request. */
  abort?: Abortable;
  /**
   * Requests progress from the peer. Called with it in order, at most `limits.maxProgressRate` times a second (50). Default: no progress
   * is requested.
   */
  onProgress?: ProgressCallback;
  /**
   * The request's id, in place of a generated one. No other pending call may have it, as a number or as a string. Do not reuse the
   * id of a call that was cancelled: its late response could not be distinguished.
   */
  requestId?: RequestId;
  /** @internal Called with the request's id before it is written; more than once if the request is sent again. */
  onId?: (id: RequestId) => void;
  /**
   * @internal The result of a call that stays open by design, if the peer ends it with `notifications/cancelled` instead of a
   * result. A peer cannot end other calls so.
   */
  resultOfCancel?: JsonObject;
  /** @internal The handler's name for the question of this request; never on the wire. For tests that answer by name. */
  question?: string;
  /**
   * @internal Whether an error response without an id, or with one that no call has, belongs to this call while no other is
   * pending. A server that cannot read a request, or does not know its method, may respond so.
   */
  takesErrorWithoutId?: boolean;
  /**
   * Whether to send `notifications/cancelled` if the caller cancels or the timeout passes. Default true, and false for calls that
   * can be resumed. `initialize` must not be cancelled (MCP 2025-11-25, Cancellation).
   */
  cancelOnAbandon?: boolean;
  /** Data for the transport beside the request; never on the wire. */
  metadata?: ClientMessageMetadata;
}

/** Sends requests and notifications on one channel: the object that a caller uses decides the route. */
export interface Outbound {
  /**
   * Sends a request and waits for its result.
   * @throws McpError the peer's error, or `RequestTimeoutError`, `ConnectionClosedError`, `NoBackChannelError`; `signal.reason` if
   * the caller cancelled; RangeError if a time is negative or not a number, McpUsageError before the connection was started
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification. Never fails: on a closed connection it is dropped. */
  notify(method: string, params?: JsonObject): MaybePromise<void>;
}

export interface OutboundCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  /** The inbound request that it belongs to. */
  readonly related?: RequestId | undefined;
}

/** How many handlers did not end in time: those that still run, and all so far. */
export interface LeakedHandlers {
  /** Handlers that still run. */
  running: number;
  /** Handlers that did not end in time, whether they have ended since or not. */
  total: number;
}

/**
 * One inbound request while its handler runs. Its `Outbound` half sends on the request's own channel; after the response, requests
 * fail with `NoBackChannelError` and notifications are dropped.
 */
export interface InboundRequest extends Outbound {
  /** Its id, as the peer wrote it. */
  readonly requestId: RequestId;
  /** The method: one of MCP, or any other. */
  readonly method: string;
  /** The params as they arrived, unchecked. */
  readonly params: JsonObject | undefined;
  /** The transport's context when the request arrived. */
  readonly transport: TransportContext;
  /** Aborts when the peer cancels, the connection closes or the handler's timeout passes. Made at its first use. */
  readonly signal: AbortSignal;
  /** @internal What `signal` aborts with, without the cost of a signal. Absent: `signal`. */
  readonly abort?: Abortable;
  /** True once no peer waits for the response. */
  readonly cancelled: boolean;
  /** @internal Counts its handler if it does not end in time; the code that runs the handler sets it. */
  leaks: LeakedHandlers | undefined;
  /**
   * Ends the request without a response, for peers that must not receive one (MCP 2026-07-28, Base Protocol: a server sends no
   * requests).
   */
  ignore(): void;
  /** Aborts the handler's signal; the handler's result still counts. */
  stop(reason: unknown): void;
  /** Lifts the timeout of the handler, for requests that stay open by design. */
  keepOpen(): void;
  /** Closes the stream that carries the response, if the client can reconnect for it (SSE polling); otherwise does nothing. */
  release(): void;
  /** Encodes a result for the connection, so that a result that cannot be serialised fails here. @throws TypeError */
  encode(result: JsonObject): RawResult;
}

/**
 * Handles a request. If it throws an `McpError`, that is the response; any other error, and a result that cannot be serialised,
 * becomes "Internal error". A result that did not come from `encode` is encoded afterwards.
 */
export type OnRequest = (request: InboundRequest) => MaybePromise<RawResult>;
/** Takes a notification. If it throws, the error goes to `onError`; a notification has no response. */
export type OnNotification = (method: string, params: JsonObject | undefined) => MaybePromise<void>;

/**
 * One end of a connection: sends and receives requests without knowing their methods. `Client` and `McpServer` use one;
 * `JsonRpcDispatcher` and `createDirectPair` make them.
 */
export interface Dispatcher extends Outbound {
  /** The context of the transport, if it has one. */
  readonly context?: TransportContext;
  /** @internal Times that no `timeout` of a request counts, because this process keeps the peer waiting. */
  readonly pauses?: Pauses | undefined;
  /** Whether the peer may send arrays of messages. The agreed revision decides it (2025-03-26 only). Default false. */
  acceptsBatches: boolean;
  /** False if no request can be sent to the peer, as for a stateless request. Default: true. */
  readonly canSendRequest?: boolean;
  /** @internal Its limits, if it has them: `maxConcurrentRequests` are the requests that it has pending at most; further ones wait in line. */
  readonly limits?: DispatcherLimits & { readonly maxConcurrentRequests?: number };
  /** @internal Keeps what the server knows of the connection, if other processes serve it too. */
  readonly memory?: ConnectionMemory | undefined;
  /** @internal The id of the session, if the connection is one of several that belong to it; then undefined if it belongs to none. */
  readonly sessionId?: string | undefined;
  /** @internal Called with a handler's error, before it becomes an error response. */
  onFailure?: (requestId: RequestId, error: unknown) => void;
  /**
   * Starts handling requests and delivering notifications. The promise resolves when the connection has ended, for any reason, and
   * never rejects. @throws McpUsageError if it is called twice
   */
  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void>;
  /** Ends the connection: pending calls fail, running handlers are aborted. Idempotent and bounded in time. */
  close(reason?: unknown): Promise<void>;
}
