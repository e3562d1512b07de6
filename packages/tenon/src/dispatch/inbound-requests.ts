/**
 * The inbound requests: keeps one `InFlight` each while its handler runs, finds it when the peer cancels, and sends the responses.
 *
 * Half of an `Exchange`. A handler that returns at once costs no promise.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError } from "../jsonrpc/mcp-error.ts";
import { TokenBucket } from "../base/bounds/token-bucket.ts";
import {
  coerceRequestId,
  type ErrorData,
  type JsonObject,
  type JSONRPCError,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
} from "../jsonrpc/message.ts";
import { SUBSCRIPTION_ID_KEY } from "../protocol/meta-keys.ts";
import type { Batch } from "./batch.ts";
import type { Channel, ChannelTerms } from "./channel.ts";
import { Deadlines } from "./deadlines.ts";
import type { OnRequest, OutboundCall, TransportContext } from "./dispatcher.ts";
import { HeldResponses } from "./held-responses.ts";
import { InFlight, type RequestChannel } from "./in-flight.ts";

interface RequestSender {
  /** Set when no response can be sent any more. */
  readonly closed: boolean;
  call(call: OutboundCall): Promise<JsonObject>;
}

const NO_REQUESTS: ReadonlyMap<unknown, InFlight> = /* @__PURE__ */ new Map();

export class InboundRequests implements RequestChannel {
  readonly terms: ChannelTerms;
  readonly #channel: Channel;
  readonly #caller: RequestSender;
  /** By its id until the peer cancels it; then by itself: the id is free again, the slot is not. */
  #waiting: Map<unknown, InFlight> | undefined;
  /** The request whose handler was called and has not returned. Most handlers return at once and never have to be found. */
  #starting: InFlight | undefined;
  #deadlines: Deadlines | undefined;
  /** Made with the first response that is held. */
  #held: HeldResponses | undefined;
  /** Made with the first request, if there is a limit. */
  #rate: TokenBucket | undefined;
  #onIdle: (() => void) | undefined;
  #draining = false;

  constructor(channel: Channel, caller: RequestSender) {
    this.terms = this.#channel = channel;
    this.#caller = caller;
  }

  /** Takes a request. @throws LimitExceededError `limits.maxRequestRate`: close its source */
  accept(message: JSONRPCRequest, onRequest: OnRequest, batch: Batch | undefined): void {
    const { id } = message;
    if (this.terms.limits.maxRequestRate !== Infinity) this.#countRequest();
    batch?.expect();
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return this.#send({ jsonrpc: "2.0", id, error: refusal }, batch);
    const inFlight = new InFlight(this, message, batch);
    // It can be found before the handler runs: what the handler sends may cause a cancel, or the end of the connection.
    this.#starting = inFlight;
    inFlight.run(onRequest);
    this.#keepStarting();
  }

  #countRequest(): void {
    const { clock, limits } = this.terms;
    const now = clock.now();
    this.#rate ??= new TokenBucket(limits.maxRequestRate, now);
    if (this.#rate.take(now)) return;
    const error = new LimitExceededError("limits.maxRequestRate", limits.maxRequestRate);
    this.terms.report(error);
    throw error;
  }

  #refusal(id: RequestId): ErrorData | undefined {
    if (this.#draining) return { code: ErrorCode.InternalError, message: "The server is shutting down" };
    const all = this.#all();
    if (all.has(id)) return { code: ErrorCode.InvalidRequest, message: "A request with this id is in flight already" };
    const max = this.terms.limits.maxInFlight;
    if (all.size < max) return undefined;
    return {
      code: ErrorCode.InternalError,
      message: `Busy: ${max} requests are in flight (limit "limits.maxInFlight")`,
      data: { limit: "limits.maxInFlight", max, retryAfterMs: 1000 },
    };
  }

  /** Cancels a request whose response the peer no longer wants. An unknown id is ignored: its response may have just been sent. */
  cancel(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    const all = this.#all();
    const inFlight = all.get(id) ?? all.get(coerceRequestId(id));
    if (inFlight === undefined) return;
    this.#waiting!.delete(inFlight.requestId); // it was found there
    this.#waiting!.set(inFlight, inFlight);
    const reason = params?.["reason"];
    inFlight.cancel(
      new McpError(ErrorCode.InvalidRequest, typeof reason === "string" ? `Request cancelled: ${reason}` : "Request cancelled"),
    );
  }

  /** Refuses new requests. Running handlers get `ms` to end; their signals abort at half time, with `reason`. */
  async drain(ms: number, reason: unknown): Promise<void> {
    this.#draining = true;
    await this.#idleWithin(ms / 2);
    for (const inFlight of [...this.#all().values()]) inFlight.stop(reason);
    await this.#idleWithin(ms / 2);
  }

  #idleWithin(ms: number): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    const { clock } = this.terms;
    return new Promise((resolve) => {
      const timer = clock.setTimer(ms, resolve);
      const others = this.#onIdle;
      this.#onIdle = () => {
        clock.clearTimer(timer);
        resolve();
        others?.();
      };
    });
  }

  /** Responds to all running requests with `error`, without a grace period. */
  failAll(error: McpError): void {
    for (const inFlight of [...this.#all().values()]) inFlight.fail(error);
  }

  /** Sends the responses that are held: the connection ends. */
  sendHeld(): void {
    this.#held?.sendAll();
  }

  /** Cancels all running requests: no response can be sent any more. */
  cancelAll(reason: unknown): void {
    for (const inFlight of [...this.#all().values()]) inFlight.cancel(reason);
    this.#waiting = undefined;
    this.#deadlines?.stop();
    this.#onIdle?.();
  }

  // ---- the table ----

  #all(): ReadonlyMap<unknown, InFlight> {
    this.#keepStarting();
    return this.#waiting ?? NO_REQUESTS;
  }

  #keepStarting(): void {
    const inFlight = this.#starting;
    if (inFlight === undefined) return;
    this.#starting = undefined;
    (this.#waiting ??= new Map()).set(inFlight.requestId, inFlight);
  }

  get #isIdle(): boolean {
    return this.#all().size === 0 && !this.#held?.size;
  }

  #forget(inFlight: InFlight): void {
    const id = inFlight.requestId;
    const waiting = this.#waiting;
    if (this.#starting === inFlight) this.#starting = undefined;
    else if (waiting !== undefined && waiting.size > 1) waiting.delete(waiting.get(id) === inFlight ? id : inFlight);
    // V8 keeps each table of a map alive from the one before: a new map releases them once all entries are gone.
    else this.#waiting = undefined;
  }

  // ---- what a request in flight needs ----

  get context(): TransportContext {
    return this.#channel.context;
  }

  notify(notification: JSONRPCNotification, related: RequestId): MaybePromise<void> {
    return this.#channel.sendQuietly(notification, related);
  }

  request(call: OutboundCall): Promise<JsonObject> {
    return this.#caller.call(call);
  }

  release(related: RequestId): void {
    this.#channel.release?.(related);
  }

  watch({ deadline }: InFlight): void {
    if (this.#caller.closed) return;
    this.#deadlines ??= new Deadlines(
      this.terms.clock,
      () => this.#all().values(),
      (error) => this.terms.report(error),
    );
    this.#deadlines.watch(deadline);
  }

  respond(inFlight: InFlight, response: JSONRPCResponse | JSONRPCError | undefined): void {
    if (this.#caller.closed) return;
    this.#forget(inFlight);
    if (response === undefined) inFlight.batch?.settle(undefined);
    else if (inFlight.reported && this.#channel.writeNow) this.#hold(inFlight, response);
    else this.#sendResponse(inFlight, response);
    this.#checkIdle();
  }

  #hold(inFlight: InFlight, response: JSONRPCResponse | JSONRPCError): void {
    this.#channel.writeNow?.();
    this.#held ??= new HeldResponses(this.terms.clock);
    this.#held.hold(() => {
      this.#sendResponse(inFlight, response);
      this.#checkIdle();
    });
  }

  #sendResponse(inFlight: InFlight, response: JSONRPCResponse | JSONRPCError): void {
    this.#send(response, inFlight.batch);
    if (this.#channel.cancelListens && inFlight.staysOpen) this.#tellEnd(inFlight.requestId);
  }

  #checkIdle(): void {
    if (this.#draining && this.#isIdle) this.#onIdle?.();
  }

  #send(response: JSONRPCResponse | JSONRPCError, batch: Batch | undefined): void {
    if (batch === undefined) void this.#channel.sendQuietly(response, response.id ?? undefined);
    else batch.settle(response);
  }

  /** For clients that wait for this instead of the result of `subscriptions/listen`. */
  #tellEnd(requestId: RequestId): void {
    const params = { requestId, reason: "The server ends the stream", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
    void this.#channel.sendQuietly({ jsonrpc: "2.0", method: "notifications/cancelled", params }, requestId);
  }
}
