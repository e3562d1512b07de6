/**
 * The dispatcher over a transport: reads messages one after the other and passes them to the exchange.
 *
 * Clients and servers use it for every stream of messages; HTTP has its own dispatchers. Reading waits for a transport that has not
 * accepted what was written (back-pressure), and for nothing else.
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
import { assertDuration } from "../base/number-options.ts";
import { withDefaults, type LimitOptions } from "./limits.ts";
import type { Pauses } from "./pauses.ts";
import { TransportChannel } from "./transport-channel.ts";

/** Options of a {@link JsonRpcDispatcher}. All times are in milliseconds. */
export interface JsonRpcDispatcherOptions extends LimitOptions {
  /** Called with every message that is dropped and every error outside a call. Default: ignored. */
  onError?: (error: Error) => void;
  /** Whether a malformed message gets an error response (a server must send one) or is only reported (a client). Default true. */
  respondToMalformed?: boolean;
  /**
   * Milliseconds that running handlers get after the peer closed its side, or after `drain()`; their signals abort at half time.
   * Default 0.
   */
  drain?: number;
  /**
   * Whether the end of a `subscriptions/listen` is sent twice: as its result, then as `notifications/cancelled`, for clients that
   * wait for the latter. Default false.
   */
  cancelListens?: boolean;
  /** The clock of all timeouts. Default: the system's; tests use one that they control. */
  clock?: Clock;
}

/** Transports that have a dispatcher: two readers would each get only a part of the messages. */
const transportsInUse = new WeakSet<Transport>();

/** One end of a connection over a {@link Transport}: sends and receives requests. It owns the transport and closes it. */
export class JsonRpcDispatcher implements Dispatcher {
  readonly #transport: Transport;
  readonly #channel: TransportChannel;
  readonly #exchange: Exchange;
  readonly #drain: number;

  /**
   * Reading starts with {@link run}. @throws McpUsageError if the transport has a dispatcher; RangeError if a limit is negative or
   * not a number
   */
  constructor(transport: Transport, options: JsonRpcDispatcherOptions = {}) {
    if (transportsInUse.has(transport)) throw new McpUsageError("This transport already has a dispatcher");
    const { clock = systemClock, onError, respondToMalformed = true, cancelListens, drain = 0 } = options;
    this.#drain = assertDuration("drain", drain);
    this.#transport = transport;
    this.#channel = new TransportChannel(transport, { clock, limits: withDefaults(options), onError, respondToMalformed, cancelListens });
    this.#exchange = new Exchange(this.#channel);
    transportsInUse.add(transport);
  }

  get context(): TransportContext {
    return this.#channel.context;
  }

  /** @internal */
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
   * Ends the connection in order. New requests are refused with -32603 "shutting down"; running handlers get the time of option
   * `drain`, may still send requests and get their responses sent; then it closes. Never rejects.
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

  /** Handles each message in the context that it was sent in, if the transport knows it. */
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

  /** Takes what one read yields. The next read waits for the returned promise. */
  readonly #take = (incoming: Incoming): Promise<void> | undefined => {
    this.#exchange.accept(incoming);
    return this.#channel.whenWritten();
  };

  async #drainHandlers(reason: unknown): Promise<void> {
    if (this.#drain > 0) await this.#exchange.inbound.drain(this.#drain, toClosedError(reason));
  }
}
