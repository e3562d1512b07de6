/**
 * Call and return over a connection: the seam between methods and messages.
 *
 * A dispatcher knows requests, notifications, ids, cancellation, progress and time limits. It does not know MCP
 * methods (but for the two notifications those need) nor revisions. There are two: `JsonRpcDispatcher` over any
 * transport, and the direct pair inside one process.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, JsonText, RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { TransportContext } from "../transport/transport-context.ts";
import type { Pauses } from "./pauses.ts";

export type { TransportContext } from "../transport/transport-context.ts";

/** A result as it crosses the dispatcher: an object, or bytes that are ready to be written. */
export type RawResult = JsonObject | JsonText;

/** One step of a running request, as its receiver reported it (BS-01, G6). */
export interface Progress {
  /** How far it is; grows with every step. */
  progress: number;
  /** What `progress` is when all is done; absent where nobody knows. */
  total?: number;
  /** What is being done, for people. */
  message?: string;
}

/** Told of each step, in order. What it throws or rejects with is reported to `onError` and changes nothing else. */
export type ProgressCallback = (progress: Progress) => MaybePromise<void>;

/** How long a request may take, who is told of its progress, and how it is given up (DI-05). All times are in milliseconds. */
export interface RequestOptions {
  /**
   * Milliseconds to wait for the answer, counted from when the request was written. Default: the connection's (60 000).
   * `0` gives up at once, `Infinity` never (checklist CF-04).
   */
  timeout?: number;
  /**
   * Milliseconds the call may take in all, whatever `timeout` and progress say. Default: the connection's (600 000, 10 minutes),
   * but never less than `timeout`; `Infinity` for no limit.
   */
  maxTotalTimeout?: number;
  /** Whether progress starts `timeout` again. Default true. */
  resetTimeoutOnProgress?: boolean;
  /** Abandons the call: it rejects with `signal.reason` and the peer is told, unless `cancelOnAbandon` says no. */
  signal?: AbortSignal;
  /** Asks the peer for progress and is told of it, in order and at most `limits.maxProgressRate` times a second (50). Default: nobody asks. */
  onProgress?: ProgressCallback;
  /**
   * The request's id instead of a minted one; no other call in flight may have it, in either spelling (checklist ID-04).
   * Do not use one again whose call was given up: its late answer could not be told apart.
   */
  requestId?: RequestId;
  /** @internal Told of the request's id before it is written; more than once where it is sent again. */
  onId?: (id: RequestId) => void;
  /**
   * @internal The result of a call that stays open by design, where the peer ends it with `notifications/cancelled` instead
   * (ruling Z1). Calls without it cannot be ended so.
   */
  resultOfCancel?: JsonObject;
  /** @internal What a handler calls the question it asks with this; never on the wire. For tests that answer by name. */
  question?: string;
  /**
   * @internal Whether an error response without an id is the response of this call while no other is pending. A server that cannot
   * read a request at all responds so.
   */
  takesErrorWithoutId?: boolean;
  /**
   * Whether the peer is told when the caller gives up. Default true, and false for calls that can be resumed (DI-10);
   * `initialize` must not be cancelled (G1).
   */
  cancelOnAbandon?: boolean;
  /** What the transport is told beside the request; never on the wire (checklist BS-16, SM-02). */
  metadata?: ClientMessageMetadata;
}

/** Where requests and notifications can be sent. Holding the object is the routing decision. */
export interface Outbound {
  /**
   * Sends a request and waits for its result.
   * @throws McpError what the peer answered, or `RequestTimeoutError`, `ConnectionClosedError`, `NoBackChannelError`;
   * `signal.reason` where the caller gave up; RangeError for a time that is none, McpUsageError before the connection was started
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Sends a notification. Never fails: on a closed connection it is dropped (checklist DI-11). */
  notify(method: string, params?: JsonObject): MaybePromise<void>;
}

/** One request of this side, on its way to the peer. */
export interface OutboundCall {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly options: RequestOptions;
  /** The inbound request it belongs to. */
  readonly related?: RequestId | undefined;
}

/** How many handlers did not end when they had to (row D9): those that still run, and all so far. */
export interface LeakedHandlers {
  /** Those that have not ended to this day. */
  running: number;
  /** Those that did not end in time, whether they have ended since or not. */
  total: number;
}

/**
 * One inbound request while it is being answered (DI-03). Its `Outbound` half sends on the request's own channel; once it is
 * answered, requests fail with `NoBackChannelError` and notifications are dropped.
 */
export interface InboundRequest extends Outbound {
  /** Its id, as the peer wrote it. */
  readonly requestId: RequestId;
  /** What is asked: a method of MCP, or any other. */
  readonly method: string;
  /** As they arrived; nobody has checked them. */
  readonly params: JsonObject | undefined;
  /** What is known of the transport, as it was when the request arrived. */
  readonly transport: TransportContext;
  /** Aborts when the peer cancels, the connection closes or the handler's time is over. Made when first asked for. */
  readonly signal: AbortSignal;
  /** True once nobody waits for the answer any more. */
  readonly cancelled: boolean;
  /** @internal Where its handler is counted if it does not end; set by whoever runs it. */
  leaks: LeakedHandlers | undefined;
  /** Lets the request go without an answer, for peers that must not be answered (A1.10). */
  ignore(): void;
  /** Aborts the handler's signal; its answer still counts. */
  stop(reason: unknown): void;
  /** Lifts the time limit of the handler: for requests that stay open by design. */
  keepOpen(): void;
  /** Lets go of what carries the answer where the client can come back for it (SSE polling); elsewhere nothing. */
  release(): void;
  /** Turns a result into what crosses the connection, so that what cannot be serialised fails here. @throws TypeError */
  encode(result: JsonObject): RawResult;
}

/**
 * Answers a request. What it throws is answered as an error; anything but an `McpError` as "Internal error", and so is a
 * result that cannot be serialised. A result that did not come from `encode` is encoded afterwards.
 */
export type OnRequest = (request: InboundRequest) => MaybePromise<RawResult>;
/** Takes a notification. What it throws is reported to `onError`; nobody is answered (BS-44). */
export type OnNotification = (method: string, params: JsonObject | undefined) => MaybePromise<void>;

/**
 * One end of a connection: what asks and answers over it, without knowing what is asked (DI-01). `Client`, `McpServer` and gateways
 * stand on it; `JsonRpcDispatcher` and `createDirectPair` are the two there are.
 */
export interface Dispatcher extends Outbound {
  /** What is known of the transport, where something is. */
  readonly context?: TransportContext;
  /** @internal Times that no `timeout` of a request counts, because this side keeps the other waiting. */
  readonly pauses?: Pauses | undefined;
  /** Whether the peer may send arrays of messages: settled by the revision once it is agreed (2025-03-26). Default false. */
  acceptsBatches: boolean;
  /** False where nothing can be asked of the peer: a request that stands for itself (checklist DI-04, SS-61). Absent: it can. */
  readonly canSendRequest?: boolean;
  /** @internal Told of what a handler threw, before it becomes an error of the wire. */
  onFailure?: (requestId: RequestId, error: unknown) => void;
  /**
   * Starts answering and delivering. The promise settles when the connection has ended, for whatever reason, and
   * never rejects. @throws McpUsageError when called twice
   */
  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void>;
  /** Ends the connection: pending calls fail, running handlers are aborted. Idempotent and bounded. */
  close(reason?: unknown): Promise<void>;
}
