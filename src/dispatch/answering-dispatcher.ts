/**
 * The dispatcher over a transport: reads messages one after the other and pushes them into the exchange.
 *
 * As a server on stdio uses it, which mostly answers: what calls take is loaded with the first (`exchange-extras.ts`). For
 * all others there is `JsonRpcDispatcher`. Reading waits for two things only: what is loaded late, and a transport that has
 * not taken {@link MAX_UNSENT} of our messages (back-pressure).
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { JsonText, type JsonObject, type RequestId } from "../jsonrpc/message.ts";
import { McpUsageError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import { stringifyResult } from "../jsonrpc/serialise.ts";
import type { ClientMessageMetadata } from "../transport/session-message.ts";
import type { Transport } from "../transport/transport.ts";
import { toClosedError } from "./closed-error.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Dispatcher, OnNotification, OnRequest, RawResult, RequestOptions, TransportContext } from "./dispatcher.ts";
import { Exchange, type CreateExtras } from "./exchange.ts";
import { assertDuration, withDefaults, type DispatcherLimits } from "./limits.ts";
import type { Link } from "./link.ts";
import { Pauses } from "./pauses.ts";
import type { ReceiveAll } from "./receive-all.ts";
import { reportTo } from "../base/report-to.ts";

/** Options of a {@link JsonRpcDispatcher}. All times are in milliseconds. */
export interface JsonRpcDispatcherOptions extends Partial<DispatcherLimits> {
  /** Told of everything that is dropped or goes wrong outside a call. Default: nobody. */
  onError?: (error: Error) => void;
  /** Whether what is not a message is answered (a server must) or only reported (a client). Default true. */
  answerMalformed?: boolean;
  /** Milliseconds running handlers get after the peer closed its side, or `drain()`; their signals abort at half time. Default 0. */
  drain?: number;
  /**
   * Whether a `subscriptions/listen` that this side ends is told twice: by its result, then by `notifications/cancelled`, for
   * clients that wait for the latter (ruling Z1). Default false.
   */
  cancelListens?: boolean;
  /** What all time limits go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/**
 * Answers and notifications that may be on their way into the transport while we go on reading. Not one: two peers that
 * answer each other over a transport without buffers would both wait for the other to read.
 */
const MAX_UNSENT = 256;

/** Transports that somebody reads: what two read at the same time, neither gets whole (H18). */
const owned = new WeakSet<Transport>();

/** A {@link JsonRpcDispatcher} that loads what its own calls take with the first of them. */
export class AnsweringDispatcher implements Dispatcher, Link {
  readonly clock: Clock;
  readonly limits: DispatcherLimits;
  readonly answerMalformed: boolean;
  readonly cancelListens: boolean | undefined;
  readonly pauses: Pauses;
  acceptsBatches: boolean = false;
  readonly #context: TransportContext;
  readonly #transport: Transport;
  readonly #receiveAll: ReceiveAll;
  readonly #exchange: Exchange;
  readonly #onError: ((error: Error) => void) | undefined;
  readonly #drain: number;
  /** Writes that the transport has not taken yet. */
  #unsent = 0;
  /** Lets the reader go on. */
  #resume: (() => void) | undefined;

  /** @internal @throws McpUsageError for a transport that has a dispatcher; RangeError for a limit that is none */
  constructor(transport: Transport, options: JsonRpcDispatcherOptions, createExtras: CreateExtras, receiveAll: ReceiveAll) {
    if (owned.has(transport)) throw new McpUsageError("This transport is in use");
    this.#transport = transport;
    this.#receiveAll = receiveAll;
    this.clock = options.clock ?? systemClock;
    this.pauses = new Pauses(this.clock);
    this.#context = { kind: transport.kind };
    this.#onError = options.onError;
    this.#drain = assertDuration("drain", options.drain ?? 0);
    this.limits = withDefaults(options);
    this.answerMalformed = options.answerMalformed ?? true;
    this.cancelListens = options.cancelListens;
    this.#exchange = new Exchange(this, createExtras);
    owned.add(transport);
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#exchange.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    return this.#read();
  }

  /**
   * Ends the connection in good order: new requests are refused with -32603 "shutting down", what runs gets the time of
   * option `drain`, may still ask the peer and is answered, then it closes. Never rejects.
   */
  async drain(reason?: unknown): Promise<void> {
    await this.#drainHandlers(toClosedError(reason));
    await this.close(reason);
  }

  async close(reason?: unknown): Promise<void> {
    this.#exchange.close(toClosedError(reason));
    this.#resume?.();
    try {
      await this.#transport.close(reason);
    } catch (error) {
      this.report(error);
    }
  }

  async #read(): Promise<void> {
    let reason: unknown;
    try {
      await this.#receiveAll(this.#take);
    } catch (error) {
      reason = error;
      if (!this.#exchange.closed) {
        const closed = toClosedError(error);
        this.#exchange.peerClosed(closed);
        await this.#drainHandlers(closed);
      }
    }
    await this.close(reason);
  }

  /** Takes one arrival. What it returns is waited for before the next. */
  readonly #take = (incoming: Incoming): MaybePromise<void> => this.#exchange.accept(incoming) ?? this.#roomToWrite();

  async #drainHandlers(closed: McpError): Promise<void> {
    if (this.#drain === 0) return;
    const { answers } = this.#exchange;
    await answers.idleWithin(this.#drain / 2);
    answers.abortAll(closed);
    await answers.idleWithin(this.#drain / 2);
  }

  // ---- the link below the exchange ----

  get context(): TransportContext {
    return this.#transport.lastSender ?? this.#context;
  }

  send(message: Outgoing, related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void> {
    if (metadata !== undefined) return this.#transport.send(message, { metadata });
    return this.#transport.send(message, related === undefined ? undefined : { relatedRequestId: related });
  }

  tell(message: Outgoing, related?: RequestId): MaybePromise<void> {
    try {
      const written = this.send(message, related);
      return isPromise(written) ? this.#track(written) : undefined;
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  #track(written: Promise<void>): Promise<void> {
    this.#unsent++;
    return written
      .catch((error: unknown) => this.report(error))
      .then(() => {
        if (--this.#unsent < MAX_UNSENT) this.#resume?.();
      });
  }

  #roomToWrite(): Promise<void> | undefined {
    if (this.#unsent < MAX_UNSENT || this.#exchange.closed) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  encode(result: JsonObject): RawResult {
    return new JsonText(stringifyResult(result));
  }

  report(error: unknown): void {
    reportTo(this.#onError, error);
  }
}
