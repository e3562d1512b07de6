/**
 * The dispatcher over a transport: reads messages one after the other and pushes them into the exchange.
 *
 * Used by both ends of every stream of messages; HTTP has dispatchers of its own. Reading waits for a transport that has not
 * taken what this side wrote (back-pressure), and for nothing else.
 */
import { systemClock, type Clock } from "../base/clock.ts";
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { Incoming } from "../jsonrpc/incoming.ts";
import { McpUsageError, toClosedError } from "../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { TransportContext } from "../transport/transport-context.ts";
import type { Transport } from "../transport/transport.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions } from "./dispatcher.ts";
import { Exchange } from "./exchange.ts";
import { assertDuration, withDefaults, type LimitOptions } from "./limits.ts";
import type { Pauses } from "./pauses.ts";
import { TransportChannel } from "./transport-channel.ts";

/** Options of a {@link JsonRpcDispatcher}. All times are in milliseconds. */
export interface JsonRpcDispatcherOptions extends LimitOptions {
  /** Told of everything that is dropped or goes wrong outside a call. Default: nobody. */
  onError?: (error: Error) => void;
  /** Whether what is not a message is answered (a server must) or only reported (a client). Default true. */
  answerMalformed?: boolean;
  /** Milliseconds running handlers get after the peer closed its side, or `drain()`; their signals abort at half time. Default 0. */
  drain?: number;
  /**
   * Whether a `subscriptions/listen` that this side ends is told twice: by its result, then by `notifications/cancelled`, for
   * clients that wait for the latter. Default false.
   */
  cancelListens?: boolean;
  /** What all time limits go by. Default: the system's; tests give one that stands still. */
  clock?: Clock;
}

/** Transports that have a reader: what two read at the same time, neither gets whole. */
const owned = new WeakSet<Transport>();

/** Asks and answers over a {@link Transport}: one end of a connection. It owns the transport and closes it. */
export class JsonRpcDispatcher implements Dispatcher {
  readonly #transport: Transport;
  readonly #channel: TransportChannel;
  readonly #exchange: Exchange;
  readonly #drain: number;

  /**
   * Does not read yet: {@link run} does. @throws McpUsageError if the transport has a dispatcher; RangeError if a limit is negative
   * or not a number
   */
  constructor(transport: Transport, options: JsonRpcDispatcherOptions = {}) {
    if (owned.has(transport)) throw new McpUsageError("This transport is in use");
    const { clock = systemClock, onError, answerMalformed = true, cancelListens, drain = 0 } = options;
    this.#drain = assertDuration("drain", drain);
    this.#transport = transport;
    this.#channel = new TransportChannel(transport, { clock, limits: withDefaults(options), onError, answerMalformed, cancelListens });
    this.#exchange = new Exchange(this.#channel);
    owned.add(transport);
  }

  get context(): TransportContext {
    return this.#channel.context;
  }

  get pauses(): Pauses {
    return this.#channel.pauses;
  }

  get acceptsBatches(): boolean {
    return this.#channel.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#channel.acceptsBatches = legal;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#exchange.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    return this.#readToEnd();
  }

  /**
   * Ends the connection in good order: new requests are refused with -32603 "shutting down", what runs gets the time of
   * option `drain`, may still ask the peer and is answered, then it closes. Never rejects.
   */
  async drain(reason?: unknown): Promise<void> {
    await this.#drainHandlers(reason);
    await this.close(reason);
  }

  async close(reason?: unknown): Promise<void> {
    this.#exchange.close(reason);
    this.#channel.end();
    try {
      await this.#transport.close(reason);
    } catch (error) {
      this.#channel.report(error);
    }
  }

  async #readToEnd(): Promise<void> {
    let reason: unknown;
    try {
      await (this.#transport.receiveAll?.(this.#take) ?? this.#receiveAll());
    } catch (error) {
      reason = error;
      if (!this.#exchange.closed) {
        this.#exchange.peerClosed(error);
        await this.#drainHandlers(error);
      }
    }
    await this.close(reason);
  }

  /** Each message is taken in the context it was sent in, if the transport knows it. */
  async #receiveAll(): Promise<never> {
    const transport = this.#transport;
    for (;;) {
      const received = transport.receive();
      const incoming = isPromise(received) ? await received : received;
      const { lastContext } = transport;
      const wait = lastContext === undefined ? this.#take(incoming) : lastContext(() => this.#take(incoming));
      if (wait !== undefined) await wait;
    }
  }

  /** Takes one arrival. The next waits for what it returns. */
  readonly #take = (incoming: Incoming): Promise<void> | undefined => {
    this.#exchange.accept(incoming);
    return this.#channel.whenWritten();
  };

  async #drainHandlers(reason: unknown): Promise<void> {
    if (this.#drain > 0) await this.#exchange.inbound.drain(this.#drain, toClosedError(reason));
  }
}
