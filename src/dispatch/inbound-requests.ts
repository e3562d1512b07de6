/**
 * The requests of the peer: keeps one `InFlight` each while its handler runs, finds it when the peer cancels, and sends
 * the responses.
 *
 * Half of an `Exchange`. A handler that returns at once costs no promise.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError, McpError } from "../jsonrpc/mcp-error.ts";
import { TokenBucket } from "../base/token-bucket.ts";
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
import { InFlight, type RequestChannel } from "./in-flight.ts";

/** What makes the calls of handlers. */
interface Caller {
  /** Set when no response can be sent any more. */
  readonly closed: boolean;
  call(call: OutboundCall): Promise<JsonObject>;
}

const NOTHING: ReadonlyMap<unknown, InFlight> = /* @__PURE__ */ new Map();

export class InboundRequests implements RequestChannel {
  readonly terms: ChannelTerms;
  readonly #channel: Channel;
  readonly #caller: Caller;
  /** Under its id until the peer cancels it; then under itself: the id is free again, the slot is not. */
  #waiting: Map<unknown, InFlight> | undefined;
  /** The one whose handler was called and has not returned: most return at once, and never have to be found. */
  #starting: InFlight | undefined;
  #deadlines: Deadlines | undefined;
  /** Made with the first request, if there is a limit. */
  #rate: TokenBucket | undefined;
  #onIdle: (() => void) | undefined;
  #draining = false;

  constructor(channel: Channel, caller: Caller) {
    this.terms = this.#channel = channel;
    this.#caller = caller;
  }

  /** Takes a request. @throws LimitExceededError `limits.maxRequestRate`: ends what brought it */
  accept(message: JSONRPCRequest, onRequest: OnRequest, batch: Batch | undefined): void {
    const { id } = message;
    if (this.terms.limits.maxRequestRate !== Infinity) this.#countRequest();
    batch?.expect();
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return this.#send({ jsonrpc: "2.0", id, error: refusal }, batch);
    const inFlight = new InFlight(this, message, batch);
    // Can be found before the handler runs: what it sends may bring about a cancel, or the end of the connection.
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

  /** Why a request is not even started; undefined if it may run. */
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

  /** The peer no longer wants a response. An unknown id is ignored: its response may have left just now. */
  cancel(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    const all = this.#all();
    const inFlight = all.get(id) ?? all.get(coerceRequestId(id));
    if (inFlight === undefined) return;
    this.#waiting!.delete(inFlight.requestId); // where it was found
    this.#waiting!.set(inFlight, inFlight);
    const reason = params?.["reason"];
    inFlight.cancel(
      new McpError(ErrorCode.InvalidRequest, typeof reason === "string" ? `Request cancelled: ${reason}` : "Request cancelled"),
    );
  }

  /** Refuses new requests. Those that run get `ms` to end; their signals abort at half time, with `reason`. */
  async drain(ms: number, reason: unknown): Promise<void> {
    this.#draining = true;
    await this.#idleWithin(ms / 2);
    for (const inFlight of [...this.#all().values()]) inFlight.stop(reason);
    await this.#idleWithin(ms / 2);
  }

  #idleWithin(ms: number): Promise<void> {
    if (this.#all().size === 0) return Promise.resolve();
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

  /** Responds to what runs with `error`: there is no time left for its handlers. */
  failAll(error: McpError): void {
    for (const inFlight of [...this.#all().values()]) inFlight.fail(error);
  }

  /** No response can be sent any more: what runs is cancelled. */
  cancelAll(reason: unknown): void {
    for (const inFlight of [...this.#all().values()]) inFlight.cancel(reason);
    this.#waiting = undefined;
    this.#deadlines?.stop();
    this.#onIdle?.();
  }

  // ---- the table ----

  /** Everything that runs. */
  #all(): ReadonlyMap<unknown, InFlight> {
    this.#keepStarting();
    return this.#waiting ?? NOTHING;
  }

  #keepStarting(): void {
    const inFlight = this.#starting;
    if (inFlight === undefined) return;
    this.#starting = undefined;
    (this.#waiting ??= new Map()).set(inFlight.requestId, inFlight);
  }

  #forget(inFlight: InFlight): void {
    const id = inFlight.requestId;
    const waiting = this.#waiting;
    if (this.#starting === inFlight) this.#starting = undefined;
    else if (waiting !== undefined && waiting.size > 1) waiting.delete(waiting.get(id) === inFlight ? id : inFlight);
    // V8 keeps each table of a map alive from the one before: where all that came has gone, a new map lets them go.
    else this.#waiting = undefined;
  }

  // ---- what a request in flight stands on ----

  get context(): TransportContext {
    return this.#channel.context;
  }

  tell(notification: JSONRPCNotification, related: RequestId): MaybePromise<void> {
    return this.#channel.tell(notification, related);
  }

  request(call: OutboundCall): Promise<JsonObject> {
    return this.#caller.call(call);
  }

  release(related: RequestId): void {
    this.#channel.release?.(related);
  }

  watch({ deadline }: InFlight): void {
    if (this.#caller.closed) return;
    this.#deadlines ??= new Deadlines(this.terms.clock, () => this.#all().values());
    this.#deadlines.watch(deadline);
  }

  respond(inFlight: InFlight, response: JSONRPCResponse | JSONRPCError | undefined): void {
    if (this.#caller.closed) return;
    this.#forget(inFlight);
    if (response === undefined) inFlight.batch?.settle(undefined);
    else {
      this.#send(response, inFlight.batch);
      if (this.#channel.cancelListens && inFlight.staysOpen) this.#tellEnd(inFlight.requestId);
    }
    if (this.#draining && this.#all().size === 0) this.#onIdle?.();
  }

  #send(response: JSONRPCResponse | JSONRPCError, batch: Batch | undefined): void {
    if (batch === undefined) void this.#channel.tell(response, response.id ?? undefined);
    else batch.settle(response);
  }

  /** For clients that wait for this instead of the result of `subscriptions/listen`. */
  #tellEnd(requestId: RequestId): void {
    const params = { requestId, reason: "The server ends the stream", _meta: { [SUBSCRIPTION_ID_KEY]: requestId } };
    void this.#channel.tell({ jsonrpc: "2.0", method: "notifications/cancelled", params }, requestId);
  }
}
