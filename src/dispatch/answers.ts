/**
 * The requests of the peer: keeps one `InFlight` each while its handler runs, and sends exactly one answer, or none
 * after a cancel.
 *
 * Half of an `Exchange`. A handler that answers at once never enters the table and costs no promise.
 */
import { isPromise, type MaybePromise } from "../jsonrpc/maybe-promise.ts";
import { coerceRequestId, type JsonObject, type JSONRPCMessage, type JSONRPCRequest, type RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { Batch } from "./batch.ts";
import type { Calls } from "./calls.ts";
import { Deadlines } from "./deadlines.ts";
import type { OnRequest, RawResult, RequestOptions, TransportContext } from "./dispatcher.ts";
import { InFlight, type InFlightOwner } from "./in-flight.ts";
import type { DispatcherLimits } from "./limits.ts";
import type { Link } from "./link.ts";

const NO_OPTIONS: RequestOptions = {};

export class Answers implements InFlightOwner {
  readonly context: TransportContext;
  readonly #link: Link;
  readonly #limits: DispatcherLimits;
  readonly #calls: Calls;
  readonly #inFlight = new Map<RequestId, InFlight>();
  readonly #deadlines: Deadlines;
  #onIdle: (() => void) | undefined;
  #draining = false;

  constructor(link: Link, limits: DispatcherLimits, calls: Calls) {
    this.#link = link;
    this.#limits = limits;
    this.#calls = calls;
    this.context = link.context;
    this.#deadlines = new Deadlines(link.clock, () => this.#inFlight.values());
  }

  accept(message: JSONRPCRequest, onRequest: OnRequest, batch: Batch | undefined): void {
    const { id } = message;
    batch?.expect();
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return this.#reply({ jsonrpc: "2.0", id, error: refusal }, batch);
    const inFlight = new InFlight(this, id, message.method, message.params, batch);
    let outcome: MaybePromise<RawResult>;
    try {
      outcome = onRequest(inFlight);
    } catch (error) {
      return inFlight.settle(this.#toError(error));
    }
    if (!isPromise(outcome)) return inFlight.settle(outcome);
    this.#inFlight.set(id, inFlight);
    inFlight.limit(this.#limits.handlerTimeout);
    outcome.then(
      (result) => inFlight.settle(result),
      (error: unknown) => inFlight.settle(this.#toError(error)),
    );
  }

  /** Why a request is not even started; undefined where it may run. */
  #refusal(id: RequestId): ErrorData | undefined {
    if (this.#inFlight.size === 0 && !this.#draining) return undefined;
    if (this.#draining) return { code: ErrorCode.InternalError, message: "The server is shutting down" };
    const same = this.#inFlight.get(id);
    if (same !== undefined && !same.cancelled) return { code: ErrorCode.InvalidRequest, message: "A request with this id is in flight already" };
    const max = this.#limits.maxInFlight;
    if (this.#inFlight.size < max) return undefined;
    return { code: ErrorCode.InternalError, message: `Busy: ${max} requests are in flight (limit "maxInFlight")`, data: { limit: "maxInFlight", max, retryAfterMs: 1000 } };
  }

  /** `onRequest` answers with an `McpError` or not at all; anything else is a bug that must not reach the peer. */
  #toError(error: unknown): McpError {
    if (McpError.isMcpError(error)) return error;
    this.#link.report(error);
    return new McpError(ErrorCode.InternalError, "Internal error");
  }

  /** The peer no longer wants an answer. An unknown id is ignored: it may have been answered just now (G1). */
  cancel(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    if (typeof id !== "number" && typeof id !== "string") return;
    const inFlight = this.#inFlight.get(id) ?? this.#inFlight.get(coerceRequestId(id));
    if (inFlight === undefined || inFlight.done) return;
    const reason = params?.["reason"];
    inFlight.cancel(new McpError(ErrorCode.InvalidRequest, typeof reason === "string" ? `Request cancelled: ${reason}` : "Request cancelled"));
  }

  /** Refuses what is new and resolves when what runs has ended. */
  idle(): Promise<void> {
    this.#draining = true;
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Aborts the signals of what runs; it may still answer. */
  abortAll(reason: unknown): void {
    for (const inFlight of [...this.#inFlight.values()]) inFlight.stop(reason);
  }

  /** Nobody waits for any answer any more. */
  cancelAll(reason: unknown): void {
    for (const inFlight of [...this.#inFlight.values()]) inFlight.cancel(reason);
    this.#inFlight.clear();
    this.#deadlines.stop();
    this.#onIdle?.();
  }

  // ---- what a request in flight asks of us ----

  get handlerGrace(): number {
    return this.#limits.handlerGrace;
  }

  now(): number {
    return this.#link.clock.now();
  }

  watch(deadline: number): void {
    this.#deadlines.watch(deadline);
  }

  encode(result: JsonObject): RawResult {
    return this.#link.encode(result);
  }

  requestFor(inFlight: InFlight, method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    return this.#calls.send(method, params, options, inFlight.requestId);
  }

  notifyFor(inFlight: InFlight, method: string, params?: JsonObject): MaybePromise<void> {
    const message: JSONRPCMessage = params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
    return this.#link.tell(message, inFlight.requestId);
  }

  answer(inFlight: InFlight, outcome: RawResult | McpError): void {
    const id = inFlight.requestId;
    // A cancelled record may have been replaced by a new request with its id: only its own entry is removed (ID-05).
    if (this.#inFlight.get(id) === inFlight) this.#inFlight.delete(id);
    if (inFlight.cancelled) inFlight.batch?.settle(undefined);
    else if (McpError.isMcpError(outcome)) this.#reply({ jsonrpc: "2.0", id, error: outcome.toErrorData() }, inFlight.batch);
    else this.#reply({ jsonrpc: "2.0", id, result: outcome }, inFlight.batch);
    if (this.#inFlight.size > 0) return;
    this.#deadlines.stop();
    this.#onIdle?.();
  }

  #reply(message: JSONRPCMessage & { id: RequestId }, batch: Batch | undefined): void {
    if (batch === undefined) void this.#link.tell(message, message.id);
    else batch.settle(message);
  }
}
