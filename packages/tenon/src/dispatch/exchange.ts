/**
 * The inbound and outbound requests of one channel and the routing between them: the engine of every dispatcher.
 *
 * The reader (a dispatcher from its transport, the direct pair from its peer) passes messages in, and they leave through the
 * channel. The exchange knows no methods, except the two notifications about requests.
 */
import { isPromise, type MaybePromise } from "../base/maybe-promise.ts";
import { MalformedMessage, type Incoming } from "../jsonrpc/incoming.ts";
import { isBatch, type JsonObject, type JSONRPCMessage, type JSONRPCNotification, type RequestId } from "../jsonrpc/message.ts";
import { ErrorCode, McpError, McpUsageError, ProtocolViolationError, toClosedError } from "../jsonrpc/mcp-error.ts";
import { Batch } from "./batch.ts";
import type { Channel } from "./channel.ts";
import type { OnNotification, OnRequest, Outbound, OutboundCall, RequestOptions } from "./dispatcher.ts";
import { InboundRequests } from "./inbound-requests.ts";
import { MalformedMessages } from "./malformed-messages.ts";
import { OutboundRequests } from "./outbound-requests.ts";

const NO_OPTIONS: RequestOptions = {};

export class Exchange implements Outbound {
  readonly inbound: InboundRequests;
  closed: boolean = false;
  readonly #channel: Channel;
  /** Made with the first outbound request: a session may wait for hours without one. */
  #outbound: OutboundRequests | undefined;
  #malformed: MalformedMessages | undefined;
  #onRequest: OnRequest | undefined;
  #onNotification: OnNotification | undefined;
  /** The error of later calls, once the peer has closed its side. */
  #peerClosed: McpError | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
    this.inbound = new InboundRequests(channel, this);
  }

  /** @throws McpUsageError if it was started already */
  start(onRequest: OnRequest, onNotification: OnNotification): void {
    if (this.#onRequest !== undefined) throw new McpUsageError("This dispatcher is running already");
    this.#onRequest = onRequest;
    this.#onNotification = onNotification;
  }

  // ---- outbound ----

  request(method: string, params?: JsonObject, options: RequestOptions = NO_OPTIONS): Promise<JsonObject> {
    if (this.#onRequest === undefined && !this.closed)
      return Promise.reject(new McpUsageError(`Request "${method}" was made before the connection was started`));
    return this.call({ method, params, options });
  }

  call(call: OutboundCall): Promise<JsonObject> {
    if (this.#peerClosed !== undefined) return Promise.reject(this.#peerClosed);
    return this.#calls().send(call);
  }

  /** Milliseconds until a call of this side times out if nothing comes; 0 for one that has ended. */
  timeLeft(id: RequestId): number {
    return this.#outbound?.timeLeft(id) ?? 0;
  }

  #calls(): OutboundRequests {
    return (this.#outbound ??= new OutboundRequests(this.#channel));
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    if (this.closed) return undefined;
    return this.#channel.sendQuietly(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  // ---- inbound ----

  /** Takes what one read yields. @throws ProtocolViolationError if too many messages in a row were malformed: close the connection */
  accept(incoming: Incoming): void {
    if (isBatch(incoming)) this.#acceptBatch(incoming);
    else this.#acceptOne(incoming, undefined);
  }

  #acceptBatch(items: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    if (!this.#channel.acceptsBatches) {
      const error = new McpError(ErrorCode.InvalidRequest, "Batches are not part of this protocol revision");
      return this.#acceptOne(new MalformedMessage(error), undefined);
    }
    const related = items.find((item) => "method" in item && "id" in item)?.id ?? undefined;
    const batch = new Batch((responses) => {
      if (!this.closed) void this.#channel.sendQuietly(responses, related);
    });
    for (const item of items) this.#acceptOne(item, batch);
    batch.seal();
  }

  #acceptOne(message: JSONRPCMessage | MalformedMessage, batch: Batch | undefined): void {
    if (this.closed) return;
    if (message instanceof MalformedMessage) return this.#acceptMalformed(message, batch);
    this.#malformed?.reset();
    if (!("method" in message)) this.#calls().settle(message);
    else if ("id" in message) this.inbound.accept(message, this.#onRequest!, batch);
    else this.#acceptNotification(message);
  }

  #acceptNotification({ method, params }: JSONRPCNotification): void {
    if (method === "notifications/cancelled") {
      this.#outbound?.cancelled(params);
      return this.inbound.cancel(params);
    }
    if (method === "notifications/progress") this.#outbound?.progressed(params);
    try {
      const done = this.#onNotification!(method, params);
      if (isPromise(done)) done.catch((error: unknown) => this.#channel.report(error));
    } catch (error) {
      this.#channel.report(error);
    }
  }

  #acceptMalformed(message: MalformedMessage, batch: Batch | undefined): void {
    const { id, error, isResponse } = message;
    this.#malformed ??= new MalformedMessages(this.#channel);
    this.#channel.report(error);
    if (isResponse) {
      const text = `The peer sent an invalid response: ${error.message}`;
      this.#outbound?.fail(id, new ProtocolViolationError(text, error.data, { cause: error }));
    } else if (this.#malformed.shouldRespond(id, batch !== undefined)) {
      const response: JSONRPCMessage = { jsonrpc: "2.0", id, error: error.toErrorData() };
      if (batch === undefined) void this.#channel.sendQuietly(response);
      else batch.add(response);
    }
    this.#malformed.count();
  }

  // ---- the end ----

  /** Fails one outbound call, because its carrier knows that no response will come; the others continue. */
  failCall(id: RequestId, error: unknown): void {
    this.#outbound?.fail(id, error);
  }

  /** Records that the peer has closed its side: calls fail from now on, running requests may still get responses. */
  peerClosed(reason: unknown): void {
    this.#peerClosed ??= toClosedError(reason);
    this.#outbound?.failAll(this.#peerClosed);
  }

  /** Ends everything: calls fail, handlers are aborted and their responses dropped. Idempotent. */
  close(reason: unknown): void {
    if (this.closed) return;
    this.inbound.sendHeld();
    this.closed = true;
    const error = toClosedError(reason);
    this.peerClosed(error);
    this.inbound.cancelAll(error);
  }
}
