/**
 * One inbound request while it is being answered: the only record kept of it.
 *
 * It is what the handler sees of the connection (its request-scoped channel, its signal) and what the dispatcher
 * finds when the peer cancels. Exactly one answer leaves, or none after a cancel (G1).
 */
import { JsonText, type JsonObject, type JSONRPCRequest, type RequestId } from "../jsonrpc/message.ts";
import { McpError, ErrorCode, NoBackChannelError, RequestTimeoutError } from "../jsonrpc/mcp-error.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Batch } from "./batch.ts";
import type { Expiring } from "./deadlines.ts";
import type { Link } from "./link.ts";
import type { InboundRequest, LeakedHandlers, RawResult, RequestOptions, TransportContext } from "./dispatcher.ts";

/** What the record needs of the connection it came in on. */
export interface InFlightOwner {
  readonly link: Pick<Link, "clock" | "limits" | "context" | "tell" | "release" | "encode" | "report">;
  /** The deadline of a request was set. */
  watch(deadline: number): void;
  /** Sends what the handler of a request asks. */
  call(related: RequestId, method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** The answer is known: send it and free the slot. */
  answer(inFlight: InFlight, outcome: RawResult | McpError): void;
}

export class InFlight implements InboundRequest, Expiring {
  readonly requestId: RequestId;
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** As it was when the request arrived: who asks does not change while the handler runs. */
  readonly transport: TransportContext;
  /** The batch it came in, whose answers leave together. */
  readonly batch: Batch | undefined;
  deadline: number = Infinity;
  leaks: LeakedHandlers | undefined;
  cancelled: boolean = false;
  /** Whether it is open by design, without a time limit. */
  staysOpen: boolean = false;
  readonly #owner: InFlightOwner;
  #abort: AbortController | undefined;
  #encoded: RawResult | null = null;
  #reason: unknown;
  #answered = false;
  /** The request was given up while its handler ran on. */
  #leaked = false;

  constructor(owner: InFlightOwner, { id, method, params }: JSONRPCRequest, batch?: Batch) {
    this.#owner = owner;
    this.transport = owner.link.context;
    this.batch = batch;
    this.requestId = id;
    this.method = method;
    this.params = params;
  }

  /** True once the answer was sent or nobody waits for it: the request's own channel is closed. */
  get done(): boolean {
    return this.#answered || this.cancelled;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#reason !== undefined) this.#abort.abort(this.#reason);
    }
    return this.#abort.signal;
  }

  encode(result: JsonObject): RawResult {
    return (this.#encoded = this.#owner.link.encode(result));
  }

  /** What the handler returned, ready to cross: what did not come from `encode` is encoded now. @throws TypeError */
  toRaw(result: RawResult): RawResult {
    return result === this.#encoded || result instanceof JsonText ? result : this.#owner.link.encode(result);
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.done) return Promise.reject(new NoBackChannelError(method));
    return this.#owner.call(this.requestId, method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    if (this.done) return undefined;
    return this.#owner.link.tell(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params }, this.requestId);
  }

  ignore(): void {
    this.cancelled = true;
  }

  release(): void {
    if (!this.done) this.#owner.link.release?.(this.requestId);
  }

  keepOpen(): void {
    if (this.#reason !== undefined) return;
    this.staysOpen = true;
    this.deadline = Infinity;
  }

  /** The handler will not answer at once: from now on its time counts. */
  limit(): void {
    if (!this.staysOpen) this.#endWithin(this.#owner.link.limits.handlerTimeout);
  }

  /** The handler's signal aborts: from now on its slot is kept for the grace only. */
  giveGrace(): void {
    this.#endWithin(this.#owner.link.limits.handlerGrace);
  }

  /** Brings the deadline forward, never back. */
  #endWithin(ms: number): void {
    const deadline = this.#owner.link.clock.now() + ms;
    if (deadline >= this.deadline) return;
    this.deadline = deadline;
    this.#owner.watch(deadline);
  }

  /** Nobody waits for the answer any more: the peer cancelled or the connection ended. */
  cancel(reason: unknown): void {
    if (this.#answered) return;
    this.cancelled = true;
    this.stop(reason);
  }

  /** Aborts the handler's signal; its answer still counts. */
  stop(reason: unknown): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason ?? new Error("Request cancelled");
    this.#abort?.abort(this.#reason);
  }

  /** Aborts the handler's signal and answers with `error` in its place: there is no time left for it. */
  fail(error: McpError): void {
    this.stop(error);
    this.settle(error);
  }

  /** First the handler's signal aborts; when it still has not ended after the grace, the caller gets the error. */
  expire(): void {
    const { method } = this;
    const { handlerTimeout: timeoutMs } = this.#owner.link.limits;
    if (this.#reason === undefined) {
      this.deadline = Infinity;
      this.giveGrace();
      this.stop(new RequestTimeoutError(method, timeoutMs, "handlerTimeout"));
      return;
    }
    this.#leak();
    const message = `The handler of "${method}" did not finish within ${timeoutMs} ms (option "handlerTimeout")`;
    this.settle(new McpError(ErrorCode.InternalError, message, { method, timeoutMs }));
  }

  /** Its slot is free again, what it holds is not: counted, and told to the operator (D9). */
  #leak(): void {
    const { method, leaks } = this;
    this.#leaked = true;
    if (leaks) {
      leaks.running++;
      leaks.total++;
    }
    const message = `The handler of "${method}" did not end when it had to (option "handlerGrace")`;
    this.#owner.link.report(new McpError(ErrorCode.InternalError, message, { method, ...leaks }));
  }

  /** The outcome of the handler. Only the first one counts. */
  settle(outcome: RawResult | McpError): void {
    if (this.#answered) {
      if (this.#leaked && this.leaks) this.leaks.running--;
      return;
    }
    this.#answered = true;
    this.#owner.answer(this, outcome);
  }
}
