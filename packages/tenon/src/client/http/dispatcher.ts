/**
 * The dispatcher over Streamable HTTP: each request is one POST whose response settles that call, and each other message is
 * a POST of its own.
 *
 * The exchange handles ids, deadlines, progress and the requests of the server, as on every connection. The files beside
 * this one hold what only HTTP has: the call, its recovery, the session, the headers, the tools.
 */
import type { Authorizer } from "../../auth/login/authorizer.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { type Incoming, type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isRequest, JsonText, type JsonObject, type JSONRPCRequest, type RequestId } from "../../jsonrpc/message.ts";
import { stringifyMessage, stringifyResult } from "../../jsonrpc/serialise.ts";
import { systemClock, type Clock } from "../../base/clock.ts";
import type { Dispatcher, OnNotification, OnRequest, RawResult, RequestOptions, TransportContext } from "../../dispatch/dispatcher.ts";
import { endpointOf } from "../../transport/transport-context.ts";
import { Exchange } from "../../dispatch/exchange.ts";
import { isResumable } from "../../dispatch/pending.ts";
import type { ClientMessageMetadata } from "../../transport/session-message.ts";
import { reportTo } from "../../base/report-to.ts";
import { withDefaults, type DispatcherLimits } from "../../dispatch/limits.ts";
import { ConnectionReading } from "../../session/connection-reading.ts";
import { Pauses } from "../../dispatch/pauses.ts";
import type { Channel } from "../../dispatch/channel.ts";
import { Authorization } from "./authorization.ts";
import { Endpoint } from "./endpoint.ts";
import { Limiter } from "./limiter.ts";
import { HttpCall } from "./call.ts";
import type { HttpConnection } from "./connection.ts";
import { ConnectionHeaders, statelessVersionOf } from "./headers.ts";
import { httpLimits, type HttpClientLimits, type HttpServerParameters } from "./options.ts";
import { postMessage } from "./post.ts";
import { HttpRecovery } from "./session/recovery.ts";
import { StatefulSession } from "./session/session.ts";
import { HttpTools } from "./tools.ts";
import type { RouteOptions } from "../route.ts";

const NO_OPTIONS: RequestOptions = {};

export class HttpDispatcher implements Dispatcher, Channel, HttpConnection {
  readonly clock: Clock;
  acceptsBatches = false;
  readonly endpoint: Endpoint;
  readonly limits: HttpClientLimits & DispatcherLimits;
  readonly respondToMalformed = false;
  readonly limiter: Limiter;
  readonly session: StatefulSession;
  readonly reading: ConnectionReading;
  readonly tools: HttpTools;
  readonly headers: ConnectionHeaders;
  readonly open: Set<Pick<AbortController, "abort">> = new Set();
  readonly pauses: Pauses;
  readonly #context: TransportContext;
  /** The call on whose response the message came that is being delivered. */
  #related: RequestId | undefined;
  readonly #exchange: Exchange;
  readonly #recovery: HttpRecovery = new HttpRecovery(this);
  readonly #calls = new Map<RequestId, HttpCall>();
  readonly #onError: ((error: Error) => void) | undefined;
  #onClose!: () => void;
  readonly #ended: Promise<void>;
  #closing: Promise<void> | undefined;

  /** @throws TypeError if the URL cannot be used; RangeError if a limit is out of range */
  constructor(server: HttpServerParameters, options: RouteOptions = {}, authorizer?: Authorizer) {
    this.clock = options.clock ?? systemClock;
    this.pauses = new Pauses(this.clock);
    this.endpoint = new Endpoint(server.url, server.fetch, authorizer && new Authorization(authorizer, this.pauses));
    this.#context = { kind: "http", endpoint: endpointOf(this.endpoint.url) };
    this.limits = { ...httpLimits(server), ...withDefaults(options) };
    this.limiter = new Limiter(this.limits.maxConcurrentRequests);
    this.#onError = options.onError;
    this.reading = new ConnectionReading(options, (error) => this.report(error));
    this.session = new StatefulSession(this);
    this.tools = new HttpTools((error) => this.report(error));
    this.headers = new ConnectionHeaders(this, server.headers, options.headerNames);
    this.#exchange = new Exchange(this);
    this.#ended = new Promise((resolve) => {
      this.#onClose = resolve;
    });
  }

  // ---- the dispatcher ----

  get context(): TransportContext {
    return this.#related === undefined ? this.#context : { ...this.#context, related: this.#related };
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    return this.#ended;
  }

  /** Makes a call, and repeats it if that is safe and may help. */
  async request(method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    const call = { method, params, options, tried: [] };
    if (this.session.renewing !== undefined) await this.session.renewing;
    for (;;) {
      let result: JsonObject;
      try {
        result = await this.#attempt(method, params, options);
      } catch (error) {
        await this.#recovery.recover(error, call);
        continue;
      }
      return this.#observe(method, params, result);
    }
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  close(reason?: unknown): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #close(reason: unknown): Promise<void> {
    this.#exchange.close(reason);
    for (const call of [...this.#calls.values()]) call.cancel();
    for (const abort of [...this.open]) abort.abort();
    await this.session.end();
    this.#onClose();
  }

  // ---- calls ----

  #attempt(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    return isResumable(options) ? this.#attemptResumable(method, params, options) : this.#exchange.request(method, params, options);
  }

  /** Does not cancel a resumable call when its caller abandons it. Only this side stops waiting. */
  #attemptResumable(method: string, params: JsonObject | undefined, options: RequestOptions): Promise<JsonObject> {
    let id: RequestId | undefined;
    const onId = (newId: RequestId): void => {
      id = newId;
      options.onId?.(newId);
    };
    const result = this.#exchange.request(method, params, { ...options, onId });
    const end = (): void => void (id !== undefined && this.#calls.get(id)?.cancel());
    void result.then(end, end);
    return result;
  }

  /** Remembers what the result of a request changes: the tools, and the state of the session. */
  #observe(method: string, params: JsonObject = {}, result: JsonObject): JsonObject {
    const isStateless = statelessVersionOf(params) !== undefined;
    if (method === "tools/list") return this.tools.learn(result, isStateless);
    if (!isStateless) this.session.note(method, params);
    return result;
  }

  isRepeatable({ method, params }: JSONRPCRequest): boolean {
    return this.#recovery.isRepeatable(method, params);
  }

  // ---- the channel below the exchange ----

  send(message: Outgoing, _related?: RequestId, metadata?: ClientMessageMetadata): MaybePromise<void> {
    const text = stringifyMessage(message);
    if (isBatch(message) || !isRequest(message)) return postMessage(this, message, text);
    const call = new HttpCall(this, message, text, metadata);
    this.#calls.set(message.id, call);
    call.start();
    return undefined;
  }

  sendQuietly(message: Outgoing): MaybePromise<void> {
    if (this.closing || this.#isCancelled(message)) return undefined;
    try {
      return postMessage(this, message, stringifyMessage(message)).catch((error: unknown) => this.report(error));
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  /** Whether a cancel notification is needless, because leaving the stream cancels the call or the call was never sent. */
  #isCancelled(message: Outgoing): boolean {
    if (isBatch(message) || !("method" in message) || message.method !== "notifications/cancelled") return false;
    const call = this.#calls.get(message.params?.["requestId"] as RequestId); // any other type finds no call
    if (call === undefined) return false;
    return !call.cancel() || call.stateless;
  }

  encode(result: JsonObject): RawResult {
    return new JsonText(stringifyResult(result));
  }

  report(error: unknown): void {
    if (!this.closing) reportTo(this.#onError, error);
  }

  // ---- for the parts of the client ----

  get closing(): boolean {
    return this.#closing !== undefined;
  }

  call(method: string, params: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    return this.#exchange.request(method, params, options);
  }

  async tellServer(method: string): Promise<void> {
    const message = { jsonrpc: "2.0", method } as const;
    await postMessage(this, message, stringifyMessage(message));
  }

  deliver(incoming: Incoming, related?: RequestId): void {
    this.#related = related;
    try {
      this.#exchange.accept(incoming);
    } finally {
      this.#related = undefined;
    }
  }

  timeLeft(id: RequestId): number {
    return this.#exchange.timeLeft(id);
  }

  failCall(id: RequestId, error: unknown): void {
    this.#exchange.failCall(id, error);
  }

  finished(call: HttpCall): void {
    if (this.#calls.get(call.id) === call) this.#calls.delete(call.id);
  }
}
