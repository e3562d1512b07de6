/**
 * The HTTP+SSE transport of 2024-11-05: one GET stream for messages of the server, and a POST for each message of the client. Deprecated;
 * needs the option `httpSse`.
 */
import { ConnectionClosedError, ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming, Outgoing } from "../../../jsonrpc/incoming.ts";
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { encodeSseEvent } from "../../../jsonrpc/sse.ts";
import { ReceiveQueue } from "../../../transport/receive-queue.ts";
import type { TransportContext } from "../../../transport/transport-context.ts";
import type { Transport } from "../../../transport/transport.ts";
import { UNAUTHENTICATED, type Caller } from "../caller.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { lineOf, type HttpRequest } from "../http-message.ts";

/** Messages that may wait to be read; a client that sends more is refused. */
export const MAX_WAITING = 1_024;

export class SseTransport implements Transport {
  readonly kind = "http+sse";
  readonly principal: string | undefined;
  /** The client of messages that come without authorization. */
  readonly #anonymous: TransportContext;
  /** When its token expires, in milliseconds since 1970. */
  until = 0;
  /** Cancels the close at that time. */
  forgetEnd: (() => void) | undefined;
  readonly #stream: EventStream;
  readonly #maxResultSize: number;
  readonly #queue = new ReceiveQueue();
  /** The client of each message in the queue, in the same order. */
  readonly #callers: (Caller | undefined)[] = [];
  #lastCaller: Caller | undefined;

  /**
   * `endpoint` is the URL to which the client sends its messages.
   * @param maxResultSize the most characters of a result
   */
  constructor(
    stream: EventStream,
    endpoint: string,
    { principal, address }: Pick<HttpRequest, "principal" | "address">,
    maxResultSize: number,
  ) {
    this.#stream = stream;
    this.#maxResultSize = maxResultSize;
    this.principal = principal;
    this.#anonymous = { ...UNAUTHENTICATED, address };
    void stream.write(encodeSseEvent({ event: "endpoint", data: endpoint }));
    stream.whenEnded(() => this.#queue.end(new ConnectionClosedError()));
  }

  /** Queues a message of the client. Returns false if too many wait. */
  push(incoming: Incoming, caller: Caller | undefined): boolean {
    if (this.#queue.size >= MAX_WAITING) return false;
    this.#callers.push(caller);
    this.#queue.push(incoming);
    return true;
  }

  send(message: Outgoing): MaybePromise<void> {
    if (this.#stream.ended) throw new ConnectionClosedError();
    const line = lineOf(message);
    const max = this.#maxResultSize;
    if (line.length <= max || !("result" in message)) return this.#stream.send(line);
    const error = new LimitExceededError("limits.maxResultSize", max, line.length, ErrorCode.InternalError).toErrorData();
    return this.#stream.send(lineOf({ jsonrpc: "2.0", id: message.id, error }));
  }

  receive(): MaybePromise<Incoming> {
    const next = this.#queue.receive();
    return isPromise(next) ? next.then((incoming) => this.#received(incoming)) : this.#received(next);
  }

  #received(incoming: Incoming): Incoming {
    this.#lastCaller = this.#callers.shift();
    return incoming;
  }

  get lastSender(): TransportContext {
    return this.#lastCaller ?? this.#anonymous;
  }

  close(): Promise<void> {
    this.#queue.end(new ConnectionClosedError());
    this.#stream.end();
    return Promise.resolve();
  }
}
