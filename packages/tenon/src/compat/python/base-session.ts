/**
 * `BaseSession`: one end of a connection, client or server, for programs that receive requests in one place and respond in another:
 * proxies, recorders and other hosts.
 *
 * It is a thin layer over the dispatcher, which keeps ids, timeouts, cancellation and pending requests. `ClientSession` and
 * `McpServer` do not use it.
 */
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type JSONRPCMessage, type JSONRPCNotification, type RequestId } from "../../jsonrpc/message.ts";
import { ErrorCode, isErrorData, McpError, McpUsageError, type ErrorData } from "../../jsonrpc/mcp-error.ts";
import type { ProgressNotificationParams } from "../../protocol/lifecycle.ts";
import type { Dispatcher, InboundRequest, RawResult, RequestOptions } from "../../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../../dispatch/json-rpc-dispatcher.ts";
import { reportTo } from "../../base/report-to.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { RequestResponder } from "./request-responder.ts";
import { RoutedTransport, type ResponseRouter } from "./response-router.ts";
import { toTransport, type SessionSource } from "../../session/session-source.ts";

/** A request as a `BaseSession` delivers it. */
export interface SessionRequest {
  /** The method of the request. */
  readonly method: string;
  /** Its params, as `checkRequest` returned them; `{}` if it has none. */
  readonly params: JsonObject;
}

/** What a session did not handle itself: a request, a notification, or an error. */
export type SessionIncoming = RequestResponder<SessionRequest> | JSONRPCNotification | Error;

/** Options of a {@link BaseSession}: the options of its dispatcher, and the functions that handle messages. */
export interface BaseSessionOptions extends JsonRpcDispatcherOptions {
  /**
   * Checks the params of a request, and returns the params to deliver. If it throws an `McpError`, that is the response; any other
   * error becomes -32602 "Invalid request parameters". Default: params are not checked.
   */
  checkRequest?: (method: string, params: JsonObject) => JsonObject;
  /** Checks the params of a notification; if it throws, the notification is reported and dropped. Default: params are not checked. */
  checkNotification?: (method: string, params: JsonObject) => JsonObject;
  /** Called first with each request. A request that it responds to is not delivered further. */
  onRequest?: (request: RequestResponder<SessionRequest>) => MaybePromise<void>;
  /** Called first with each notification, which is then delivered further. */
  onNotification?: (notification: JSONRPCNotification) => MaybePromise<void>;
  /** Called with everything else, errors included. Without it, read {@link BaseSession.incoming}. */
  onMessage?: (message: SessionIncoming) => MaybePromise<void>;
  /** Called with errors that these functions throw. Errors of the connection go to `onMessage`. Default: ignored. */
  onError?: (error: Error) => void;
}

/** One end of a connection whose requests the program responds to itself: call `connect()`, then read {@link BaseSession.incoming}. */
export class BaseSession implements AsyncDisposable {
  /** Resolves when the connection has ended, for any reason; then {@link incoming} ends too. */
  readonly closed: Promise<void>;
  readonly #options: BaseSessionOptions;
  readonly #transport: RoutedTransport | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #messages = new IncomingMessages<SessionIncoming>();
  #connected = false;
  #ended!: () => void;

  /** Opens nothing. @throws TypeError, RangeError as `ClientSession` throws them */
  constructor(source: SessionSource, options: BaseSessionOptions = {}) {
    this.#options = options;
    const transport = toTransport(source);
    this.#transport = transport && new RoutedTransport(transport, this.#report);
    const onError = (error: Error): void => this.#sink(error);
    this.#dispatcher = transport === undefined ? (source as Dispatcher) : new JsonRpcDispatcher(this.#transport!, { ...options, onError }); // it is not a transport
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  /** Starts reading. @throws McpUsageError if it is called twice */
  async connect(): Promise<this> {
    if (this.#connected) throw new McpUsageError("A session can be connected once");
    this.#connected = true;
    void this.#dispatcher.run(this.#onRequest, this.#onNotification).then(() => this.#end());
    return this;
  }

  /** Ends the connection and both its streams; does not wait for handlers. Idempotent and bounded in time. */
  async close(): Promise<void> {
    await this.#dispatcher.close();
    this.#end();
  }

  #end(): void {
    this.#messages.end();
    this.#ended();
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Messages that no function handled, for one reader; ends with the connection. Up to 1 024 messages wait; further requests get
   * the response -32603, everything else is reported to `onError`.
   */
  get incoming(): AsyncIterable<SessionIncoming> {
    return this.#messages;
  }

  /** Lets `router` take responses before the calls of this session do. @throws McpUsageError over a dispatcher */
  addResponseRouter(router: ResponseRouter): Disposable {
    if (this.#transport === undefined)
      throw new McpUsageError("Only sessions over a transport or streams can route responses, not sessions over a dispatcher");
    return this.#transport.addResponseRouter(router);
  }

  // ---- sending ----

  /**
   * Writes a message unchanged, beside the calls of this session: the caller handles its id and its response ({@link
   * addResponseRouter}). Experimental. @throws McpUsageError over a dispatcher; what the transport throws
   */
  async sendRaw(message: JSONRPCMessage): Promise<void> {
    if (this.#transport === undefined)
      throw new McpUsageError("Only sessions over a transport or streams can write messages, not sessions over a dispatcher");
    await this.#transport.send(message);
  }

  /**
   * Sends a request and resolves with its result, which is not checked. @throws McpError the peer's error, or
   * `RequestTimeoutError`, `ConnectionClosedError`; McpUsageError before {@link connect}
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#dispatcher.request(method, params, options);
  }

  /** Sends a notification, also before {@link connect}. Never fails: on a closed connection it is dropped. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#dispatcher.notify(method, params);
  }

  /** Sends the progress of a request of the peer. */
  sendProgress(params: ProgressNotificationParams): Promise<void> {
    return this.notify("notifications/progress", params);
  }

  // ---- receiving ----

  readonly #onRequest = (inbound: InboundRequest): Promise<RawResult> => {
    return new Promise((resolve, reject) => {
      const sendResponse = (_id: RequestId, response: JsonObject | ErrorData): void => {
        if (isErrorData(response)) reject(McpError.fromErrorData(response));
        else resolve(response);
      };
      // A cancelled request gets no response, whatever the handler does.
      inbound.signal.addEventListener("abort", () => reject(new McpError(ErrorCode.InternalError, "Request cancelled")), { once: true });
      this.#receive(this.#toResponder(inbound, sendResponse)).catch(reject);
    });
  };

  /** @throws McpError if the params are invalid */
  #toResponder(
    inbound: InboundRequest,
    sendResponse: (id: RequestId, response: JsonObject | ErrorData) => void,
  ): RequestResponder<SessionRequest> {
    const { method, requestId, signal } = inbound;
    const params = this.#check(method, inbound.params ?? {});
    const meta = params["_meta"];
    return new RequestResponder({
      requestId,
      requestMeta: isJsonObject(meta) ? meta : undefined,
      request: { method, params },
      session: { sendResponse },
      messageMetadata: this.#transport?.lastMetadata,
      context: this.#transport?.lastContext,
      signal,
      outbound: inbound,
    });
  }

  #check(method: string, params: JsonObject): JsonObject {
    try {
      return this.#options.checkRequest?.(method, params) ?? params;
    } catch (error) {
      if (McpError.isMcpError(error)) throw error;
      this.#report(error);
      throw new McpError(ErrorCode.InvalidParams, "Invalid request parameters", "", { cause: error });
    }
  }

  /** @throws McpError ready for the wire */
  async #receive(responder: RequestResponder<SessionRequest>): Promise<void> {
    try {
      await this.#options.onRequest?.(responder);
      if (responder.inFlight) await this.#deliver(responder);
    } catch (error) {
      if (McpError.isMcpError(error)) throw error;
      this.#report(error);
      throw new McpError(ErrorCode.InternalError, "Internal error");
    }
  }

  readonly #onNotification = async (method: string, raw: JsonObject | undefined): Promise<void> => {
    const { checkNotification, onNotification } = this.#options;
    try {
      const params = checkNotification === undefined ? raw : checkNotification(method, raw ?? {});
      const notification: JSONRPCNotification = params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
      await onNotification?.(notification);
      await this.#deliver(notification);
    } catch (error) {
      this.#report(error);
    }
  };

  /** On its own task: the reader of the connection waits for no handler. */
  #sink(failure: Error): void {
    this.#deliver(failure).catch(this.#report);
  }

  async #deliver(message: SessionIncoming): Promise<void> {
    const { onMessage } = this.#options;
    if (onMessage === undefined) this.#messages.push(message);
    else await onMessage(message);
  }

  readonly #report = (error: unknown): void => reportTo(this.#options.onError, error);
}
