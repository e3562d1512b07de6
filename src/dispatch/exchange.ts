/**
 * Both halves of one connection and the routing between them: the engine of every dispatcher.
 *
 * Messages are pushed in by whoever reads (a dispatcher from its transport, the direct pair from its peer) and leave
 * through the link. Requests and notifications are taken here; calls of this side and all else are its extras' business.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject, JSONRPCNotification, JSONRPCRequest, RequestId } from "../jsonrpc/message.ts";
import { McpUsageError, type McpError } from "../jsonrpc/mcp-error.ts";
import type { Incoming } from "../jsonrpc/incoming.ts";
import { Answers } from "./answers.ts";
import type { Batch } from "./batch.ts";
import type { OnNotification, OnRequest, Outbound, RequestOptions } from "./dispatcher.ts";
import type { Link } from "./link.ts";

/** What a connection may never need: there at once (`exchange-extras.ts`) or with its first use (`late-extras.ts`). */
export interface Extras {
  /** Writes a request; the promise settles exactly once. `related` is the inbound request it belongs to. */
  send(method: string, params: JsonObject | undefined, options: RequestOptions, related?: RequestId): Promise<JsonObject>;
  /**
   * Takes what is neither a request nor a notification. What comes next has to wait for the promise, where there is one.
   * @throws ProtocolViolationError when too many in a row were not messages: close the connection
   */
  accept(incoming: Incoming): MaybePromise<void>;
  /** A request or a notification came, which may be about a call of ours. */
  heard(message: JSONRPCRequest | JSONRPCNotification): void;
  /** That call will get no answer that is one: it fails at once. */
  fail(id: RequestId, error: unknown): void;
  /** No call will be answered any more. */
  failAll(error: McpError): void;
}

export type CreateExtras = (exchange: Exchange, link: Link) => Extras;

const NO_OPTIONS: RequestOptions = {};

export class Exchange implements Outbound {
  readonly answers: Answers;
  closed: boolean = false;
  readonly #link: Link;
  readonly #createExtras: CreateExtras;
  /** Made with their first use: a session may wait for hours without one. */
  #extras: Extras | undefined;
  #onRequest: OnRequest | undefined;
  #onNotification: OnNotification | undefined;
  /** The peer sends nothing more: what calls fail with from now on. */
  #peerClosed: McpError | undefined;

  constructor(link: Link, createExtras: CreateExtras) {
    this.#link = link;
    this.#createExtras = createExtras;
    this.answers = new Answers(link, this);
  }

  /** @throws McpUsageError when started already */
  start(onRequest: OnRequest, onNotification: OnNotification): void {
    if (this.#onRequest !== undefined) throw new McpUsageError("This dispatcher is running already");
    this.#onRequest = onRequest;
    this.#onNotification = onNotification;
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    if (this.#onRequest === undefined && !this.closed)
      return Promise.reject(new McpUsageError(`Request "${method}" was made before the connection was started`));
    return this.call(method, params, options);
  }

  /** Sends a request; `related` is the inbound one it belongs to. */
  call(method: string, params: JsonObject | undefined, options: RequestOptions = NO_OPTIONS, related?: RequestId): Promise<JsonObject> {
    if (this.#peerClosed !== undefined) return Promise.reject(this.#peerClosed);
    return this.#needExtras().send(method, params, options, related);
  }

  #needExtras(): Extras {
    return (this.#extras ??= this.#createExtras(this, this.#link));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    if (this.closed) return undefined;
    return this.#link.tell(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  /** Takes one arrival, as {@link Extras.accept} does. */
  accept(incoming: Incoming): MaybePromise<void> {
    return "method" in incoming ? this.take(incoming, undefined) : this.#needExtras().accept(incoming);
  }

  /** Takes a request or a notification. */
  take(message: JSONRPCRequest | JSONRPCNotification, batch: Batch | undefined): void {
    if (this.closed) return;
    this.#extras?.heard(message);
    if ("id" in message) this.answers.accept(message, this.#onRequest!, batch);
    else if (message.method === "notifications/cancelled") this.answers.cancel(message.params);
    else this.#notify(message);
  }

  #notify({ method, params }: JSONRPCNotification): void {
    try {
      const done = this.#onNotification!(method, params);
      if (isPromise(done)) done.catch((error: unknown) => this.#link.report(error));
    } catch (error) {
      this.#link.report(error);
    }
  }

  /** Whoever carries one call of ours knows that no answer will come: it fails, the others go on. */
  failCall(id: RequestId, error: unknown): void {
    this.#extras?.fail(id, error);
  }

  /** The peer sends nothing more: calls fail from now on, what runs may still answer. */
  peerClosed(error: McpError): void {
    this.#peerClosed ??= error;
    this.#extras?.failAll(error);
  }

  /** Ends everything: calls fail with `error`, handlers are aborted and their answers dropped. Idempotent. */
  close(error: McpError): void {
    if (this.closed) return;
    this.closed = true;
    this.peerClosed(error);
    this.answers.cancelAll(error);
  }
}
