/**
 * `BaseSession`: one end of a connection, either role, whose requests are answered by hand: for proxies, recorders and
 * other hosts that take messages in one place and answer them in another (checklist BS-01…BS-73).
 *
 * A face of the dispatcher and no engine of its own: ids, time limits, cancellation and the table of what is in flight are
 * the dispatcher's. `ClientSession` and `McpServer` do not use it.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isJsonObject, type JsonObject, type JSONRPCMessage, type JSONRPCNotification, type RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, isErrorData, McpError, McpUsageError, type ErrorData } from "../jsonrpc/mcp-error.ts";
import type { ProgressNotificationParams } from "../protocol/lifecycle.ts";
import type { Dispatcher, InboundRequest, RawResult, RequestOptions } from "../dispatch/dispatcher.ts";
import { JsonRpcDispatcher, type JsonRpcDispatcherOptions } from "../dispatch/json-rpc-dispatcher.ts";
import { reportTo } from "../base/report-to.ts";
import { IncomingMessages } from "./incoming-messages.ts";
import { RequestResponder } from "./request-responder.ts";
import { RoutedTransport, type ResponseRouter } from "./response-router.ts";
import { toTransport, type SessionSource } from "./session-source.ts";

/** A request as a `BaseSession` hands it over. */
export interface SessionRequest {
  /** The method of the request. */
  readonly method: string;
  /** Its params, as `checkRequest` returned them; `{}` where there were none. */
  readonly params: JsonObject;
}

/** What a session did not handle by itself: a request to answer, a notification, or something that went wrong (SS-05, BS-73). */
export type SessionIncoming = RequestResponder<SessionRequest> | JSONRPCNotification | Error;

/** Options of a {@link BaseSession}: those of its dispatcher, and who handles what arrives. */
export interface BaseSessionOptions extends JsonRpcDispatcherOptions {
  /**
   * Holds the params of a request to what its method takes, and returns them as they are handed on (BS-70). An `McpError`
   * is answered as it is, anything else as -32602 "Invalid request parameters". Default: everything is taken.
   */
  checkRequest?: (method: string, params: JsonObject) => JsonObject;
  /**
   * Holds the params of a notification to its method; one that does not fit is reported and dropped (BS-44). Default:
   * everything is taken.
   */
  checkNotification?: (method: string, params: JsonObject) => JsonObject;
  /** Sees each request first. One that it answers goes no further (BS-41, BS-71). */
  onRequest?: (request: RequestResponder<SessionRequest>) => MaybePromise<void>;
  /** Sees each notification first; it goes further in any case (BS-47, BS-72). */
  onNotification?: (notification: JSONRPCNotification) => MaybePromise<void>;
  /** Takes everything else, errors included (BS-73). Without it everything else is read from {@link BaseSession.incoming}. */
  onMessage?: (message: SessionIncoming) => MaybePromise<void>;
  /** Told of what these functions throw. What comes from the connection goes to `onMessage`. Default: nobody. */
  onError?: (error: Error) => void;
}

/** One end of a connection whose requests are answered by hand (BS-02): `connect()` it, then read {@link BaseSession.incoming}. */
export class BaseSession implements AsyncDisposable {
  /** Resolves when the connection has ended, for whatever reason; then {@link incoming} ends too (SS-10). */
  readonly closed: Promise<void>;
  readonly #options: BaseSessionOptions;
  readonly #transport: RoutedTransport | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #messages = new IncomingMessages<SessionIncoming>();
  #connected = false;
  #ended!: () => void;

  /** Opens nothing. @throws TypeError, RangeError as those of `ClientSession` */
  constructor(source: SessionSource, options: BaseSessionOptions = {}) {
    this.#options = options;
    const transport = toTransport(source);
    this.#transport = transport && new RoutedTransport(transport, this.#report);
    const onError = (error: Error): void => this.#sink(error);
    this.#dispatcher = transport === undefined ? (source as Dispatcher) : new JsonRpcDispatcher(this.#transport!, { ...options, onError }); // it is no transport
    this.closed = new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  /** Begins to read (BS-04). Once only. @throws McpUsageError */
  async connect(): Promise<this> {
    if (this.#connected) throw new McpUsageError("A session can be connected once");
    this.#connected = true;
    void this.#dispatcher.run(this.#onRequest, this.#onNotification).then(() => this.#end());
    return this;
  }

  /** Ends the connection and both its streams; waits for no handler (BS-05, BS-06). Idempotent and bounded in time. */
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
   * What nobody has handled, for one reader; ends with the connection (SS-11). Up to 1 024 messages wait for it: further requests are
   * answered with -32603, everything else is reported to `onError`.
   */
  get incoming(): AsyncIterable<SessionIncoming> {
    return this.#messages;
  }

  /** Lets `router` take responses before the calls of this session do (TK-01). @throws McpUsageError over a dispatcher */
  addResponseRouter(router: ResponseRouter): Disposable {
    if (this.#transport === undefined)
      throw new McpUsageError("Responses are routed by sessions over a transport or streams, not over a dispatcher");
    return this.#transport.addResponseRouter(router);
  }

  // ---- sending ----

  /**
   * Writes a message as it stands, beside the calls of this session: its id and its response are the caller's own business
   * ({@link addResponseRouter}; SS-72). Experimental. @throws McpUsageError over a dispatcher; what the transport throws
   */
  async sendRaw(message: JSONRPCMessage): Promise<void> {
    if (this.#transport === undefined)
      throw new McpUsageError("Messages are written by sessions over a transport or streams, not over a dispatcher");
    await this.#transport.send(message);
  }

  /**
   * Sends a request and resolves with its result, which is not checked (BS-10…BS-23). @throws McpError what the peer answered,
   * or `RequestTimeoutError`, `ConnectionClosedError`; McpUsageError before {@link connect}
   */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#dispatcher.request(method, params, options);
  }

  /** Sends a notification, also before {@link connect}. Never fails: on a closed connection it is dropped (BS-30). */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#dispatcher.notify(method, params);
  }

  /** Tells how far a request of the peer has come (BS-34). */
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
      // A cancelled request gets no answer, whatever the handler does: it is over.
      inbound.signal.addEventListener("abort", () => reject(new McpError(ErrorCode.InternalError, "Request cancelled")), { once: true });
      this.#receive(this.#toResponder(inbound, sendResponse)).catch(reject);
    });
  };

  /** @throws McpError for params that do not fit */
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

  /** On a task of its own: whoever reads the connection waits for nobody (CS-95). */
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
