/**
 * One inbound request, from its handler to its response: the only code that runs a handler, limits its time and turns its outcome
 * into a response.
 *
 * It is what the handler sees of the connection (the request's own channel, its signal) and the only record of the request. Exactly
 * one response is sent, or none after a cancel.
 */
import { LazyAbort } from "../base/lazy-abort.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, McpError, NoBackChannelError, RequestTimeoutError, toErrorData } from "../jsonrpc/mcp-error.ts";
import {
  JsonText,
  type JsonObject,
  type JSONRPCError,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "../jsonrpc/message.ts";
import type { Batch } from "./batch.ts";
import type { ChannelTerms } from "./channel.ts";
import type { Watched } from "./deadlines.ts";
import type { InboundRequest, LeakedHandlers, OnRequest, OutboundCall, RawResult, RequestOptions, TransportContext } from "./dispatcher.ts";

/** What an inbound request needs: its connection, or its HTTP exchange if there is no connection. */
export interface RequestChannel {
  readonly terms: ChannelTerms;
  readonly context: TransportContext;
  /** Sends a notification that belongs to the request. Never throws. */
  notify(notification: JSONRPCNotification, related: RequestId): MaybePromise<void>;
  request(call: OutboundCall): Promise<JsonObject>;
  /** Closes the stream that carries the response, if the client can come back for it. */
  release?(related: RequestId): void;
  /** Records that the deadline of the request was set. */
  watch(inFlight: InFlight): void;
  /** Sends the response and removes the request. Without a response the request was cancelled, and none is sent. */
  respond(inFlight: InFlight, response: JSONRPCResponse | JSONRPCError | undefined): void;
}

const NO_OPTIONS: RequestOptions = {};

export class InFlight implements InboundRequest, Watched {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** The context when the request arrived: the client does not change while the handler runs. */
  readonly transport: TransportContext;
  /** The batch that it came in; responses to a batch are sent together. */
  readonly batch: Batch | undefined;
  deadline: number = Infinity;
  isWatched: boolean = false;
  leaks: LeakedHandlers | undefined;
  cancelled: boolean = false;
  /** Whether it stays open by design, without a timeout. */
  staysOpen: boolean = false;
  /** Whether progress of it was sent. */
  reported: boolean = false;
  readonly #channel: RequestChannel;
  #abort: LazyAbort | undefined;
  #encoded: RawResult | null = null;
  #settled = false;
  /** The request was responded to, but its handler still runs. */
  #leaked = false;

  constructor(channel: RequestChannel, { id, method, params }: JSONRPCRequest, batch?: Batch) {
    this.#channel = channel;
    this.transport = channel.context;
    this.batch = batch;
    this.requestId = id;
    this.method = method;
    this.params = params;
  }

  // ---- its life ----

  /** Runs the handler. If the handler returns at once, the channel has the response when this returns. */
  run(onRequest: OnRequest): void {
    try {
      const outcome = onRequest(this);
      if (!isPromise(outcome)) return this.#settle(outcome);
      if (!this.staysOpen) this.#endWithin(this.#channel.terms.limits.handlerTimeout);
      outcome.then(
        (result) => this.#settle(result),
        (error: unknown) => this.#settle(this.#toError(error)),
      );
    } catch (error) {
      this.#settle(this.#toError(error));
    }
  }

  /** True once the response was sent or no peer waits for it: the request's own channel is closed. */
  get done(): boolean {
    return this.#settled || this.cancelled;
  }

  /** Cancels the request, because the peer did or is gone: the handler gets the grace period to end, and there is no response. */
  cancel(reason: unknown): void {
    if (this.#settled) return;
    this.cancelled = true;
    this.#endWithin(this.#channel.terms.limits.handlerGrace);
    this.stop(reason);
  }

  stop(reason: unknown): void {
    this.abort.abort(reason ?? new Error("Request cancelled"));
  }

  /** Aborts the handler's signal and responds with `error`, without a grace period. */
  fail(error: McpError): void {
    this.stop(error);
    this.#settle(error);
  }

  /** Aborts the handler's signal; if the handler has not ended after the grace period, the response is an error. */
  expire(): void {
    const { method } = this;
    const { handlerTimeout: timeoutMs, handlerGrace } = this.#channel.terms.limits;
    if (!this.#isStopped) {
      this.deadline = Infinity;
      this.#endWithin(handlerGrace);
      this.stop(new RequestTimeoutError(method, timeoutMs, "limits.handlerTimeout"));
      return;
    }
    this.#leak();
    const message = `The handler of "${method}" did not finish within ${timeoutMs} ms (option "limits.handlerTimeout")`;
    this.#settle(new McpError(ErrorCode.InternalError, message, { method, timeoutMs }));
  }

  /** Brings the deadline forward, never back. */
  #endWithin(ms: number): void {
    const deadline = this.#channel.terms.clock.now() + ms;
    if (deadline >= this.deadline) return;
    this.deadline = deadline;
    this.#channel.watch(this);
  }

  /** Counts and reports a handler that did not end in time: its slot is free again, but not what it uses. */
  #leak(): void {
    const { method, leaks } = this;
    this.#leaked = true;
    if (leaks) {
      leaks.running++;
      leaks.total++;
    }
    const message = `The handler of "${method}" did not end after its signal aborted (option "limits.handlerGrace")`;
    this.#channel.terms.report(new McpError(ErrorCode.InternalError, message, { method, ...leaks }));
  }

  // ---- its response ----

  /** Takes the outcome of the handler. Only the first one counts. */
  #settle(outcome: RawResult | McpError): void {
    if (this.#settled) {
      if (this.#leaked && this.leaks) this.leaks.running--;
      return;
    }
    this.#settled = true;
    this.#channel.respond(this, this.cancelled ? undefined : this.#toResponse(outcome));
  }

  /** There is always a response: a result that cannot be serialised becomes "Internal error". */
  #toResponse(outcome: RawResult | McpError): JSONRPCResponse | JSONRPCError {
    const id = this.requestId;
    if (outcome instanceof JsonText || outcome === this.#encoded) return { jsonrpc: "2.0", id, result: outcome };
    try {
      if (McpError.isMcpError(outcome)) return { jsonrpc: "2.0", id, error: toErrorData(outcome) };
      return { jsonrpc: "2.0", id, result: this.#channel.terms.encode(outcome) };
    } catch (error) {
      this.#channel.terms.report(error);
      return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: "Internal error" } };
    }
  }

  /** `onRequest` fails with an `McpError`; any other error is a bug that the peer must not see. */
  #toError(error: unknown): McpError {
    try {
      if (McpError.isMcpError(error)) return error;
    } catch {
      // a proxy that throws on access
    }
    this.#channel.terms.report(error);
    return new McpError(ErrorCode.InternalError, "Internal error");
  }

  // ---- what the handler sees ----

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  get abort(): LazyAbort {
    return (this.#abort ??= new LazyAbort());
  }

  get #isStopped(): boolean {
    return this.#abort?.aborted === true;
  }

  encode(result: JsonObject): RawResult {
    return (this.#encoded = this.#channel.terms.encode(result));
  }

  request(method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    if (this.done) return Promise.reject(new NoBackChannelError(method));
    return this.#channel.request({ method, params, options, related: this.requestId });
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    if (this.done) return undefined;
    if (method === "notifications/progress") this.reported = true;
    return this.#channel.notify(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params }, this.requestId);
  }

  ignore(): void {
    this.cancelled = true;
  }

  release(): void {
    if (!this.done) this.#channel.release?.(this.requestId);
  }

  keepOpen(): void {
    if (this.#isStopped) return;
    this.staysOpen = true;
    this.deadline = Infinity;
  }
}
