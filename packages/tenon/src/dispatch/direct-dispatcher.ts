/**
 * Two dispatchers joined inside one process: no bytes, the same rules.
 *
 * Values are copied exactly as JSON would copy them, so that nothing is shared by reference and tests find what production would. A
 * message is delivered inside the call that sends it: a handler that returns at once responds before `request()` returns its
 * promise.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type JSONRPCMessage, type RequestId } from "../jsonrpc/message.ts";
import { ConnectionClosedError, toClosedError } from "../jsonrpc/mcp-error.ts";
import type { Outgoing } from "../jsonrpc/incoming.ts";
import { cloneJson } from "../jsonrpc/clone-json.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import type { Channel } from "./channel.ts";
import type { Dispatcher, OnNotification, OnRequest, RawResult, RequestOptions, TransportContext } from "./dispatcher.ts";
import { Exchange } from "./exchange.ts";
import { reportTo } from "../base/report-to.ts";
import { withDefaults, type DispatcherLimits, type LimitOptions } from "./limits.ts";
import { Pauses } from "./pauses.ts";

/** Options of one end of `createDirectPair()`. The limits are the same as over a transport. */
export interface DirectDispatcherOptions extends LimitOptions {
  /** Called with every message that is dropped and every error outside a call. Default: ignored. */
  onError?: (error: Error) => void;
  /** The clock of all timeouts. Default: the system's; tests use one that they control. */
  clock?: Clock;
}

class DirectDispatcher implements Dispatcher, Channel {
  readonly clock: Clock;
  readonly limits: DispatcherLimits;
  readonly pauses: Pauses;
  readonly respondToMalformed = true;
  readonly context: TransportContext = { kind: "direct" };
  /** No code here sends arrays; it exists because the interface requires it. */
  acceptsBatches = false;
  declare onFailure?: (requestId: RequestId, error: unknown) => void;
  peer!: DirectDispatcher;
  readonly #exchange: Exchange;
  readonly #onError: ((error: Error) => void) | undefined;
  /** Messages that arrived before `run()`; then undefined. */
  #waiting: JSONRPCMessage[] | undefined = [];
  #closed = false;
  #ended!: () => void;
  readonly #end: Promise<void> = new Promise((resolve) => {
    this.#ended = resolve;
  });

  constructor(options: DirectDispatcherOptions) {
    this.clock = options.clock ?? systemClock;
    this.pauses = new Pauses(this.clock);
    this.#onError = options.onError;
    this.limits = withDefaults(options);
    this.#exchange = new Exchange(this);
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#exchange.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    // Messages that these cause are added behind them: the order of arrival is kept.
    for (const message of this.#waiting!) this.#exchange.accept(message);
    this.#waiting = undefined;
    return this.#end;
  }

  close(reason?: unknown): Promise<void> {
    this.#closeWith(toClosedError(reason));
    return this.#end;
  }

  #closeWith(error: ConnectionClosedError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#exchange.close(error);
    this.#ended();
    // The peer learns that the connection ended, as over a wire, but not why.
    this.peer.#closeWith(new ConnectionClosedError());
  }

  #accept(message: JSONRPCMessage): void {
    if (this.#waiting === undefined) this.#exchange.accept(message);
    else this.#waiting.push(message);
  }

  // ---- the channel below the exchange ----

  send(message: Outgoing): MaybePromise<void> {
    if (this.#closed) throw new ConnectionClosedError();
    // Batches are never sent here; results and errors were copied when they were encoded.
    const single = message as JSONRPCMessage;
    if ("params" in single) single.params = cloneJson(single.params);
    this.peer.#accept(single);
  }

  sendQuietly(message: Outgoing): MaybePromise<void> {
    try {
      return this.send(message);
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  encode(result: JsonObject): RawResult {
    const copy = cloneJson(result);
    if (!isJsonObject(copy)) throw new TypeError("A result must be an object");
    return copy;
  }

  report(error: unknown): void {
    reportTo(this.#onError, error);
  }
}

/**
 * A client's and a server's end of one connection inside this process. Closing either closes both. Values are copied as JSON would
 * copy them. `connect(server)` uses it; call it yourself only for a dispatcher without a client or server. @throws RangeError if a limit is negative or not a number
 */
export function createDirectPair(
  client: DirectDispatcherOptions = {},
  server: DirectDispatcherOptions = {},
): [client: Dispatcher, server: Dispatcher] {
  const a = new DirectDispatcher(client);
  const b = new DirectDispatcher(server);
  a.peer = b;
  b.peer = a;
  return [a, b];
}
