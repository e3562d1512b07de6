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
import { UNAUTHENTICATED, type AuthorizedClient } from "../authorized-client.ts";
import { unsent } from "../../../base/unsent.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { lineOf, requestOwnerOf, type HttpRequest } from "../http-message.ts";
import type { HttpLimits } from "../options.ts";

/** Messages that may wait to be received; a client that sends more is refused. */
const MAX_MESSAGES = 1_024;

/** What bounds one connection: `limits` of the endpoint. */
type SseLimits = Pick<HttpLimits, "maxResultSize" | "maxBuffered">;

export class SseTransport implements Transport {
  readonly kind = "http+sse";
  /** Whose it is; undefined without authentication. */
  readonly owner: string | undefined;
  /** The client of messages that come without authorization. */
  readonly #anonymous: TransportContext;
  /** When its token expires, in milliseconds since 1970. */
  until = 0;
  /** Cancels the close at that time. */
  forgetEnd: (() => void) | undefined;
  readonly #stream: EventStream;
  readonly #limits: SseLimits;
  readonly #queue = new ReceiveQueue();
  /** The client of each message in the queue, in the same order. */
  readonly #callers: (AuthorizedClient | undefined)[] = [];
  /** The part of `unsent` that waits in the queue. */
  #counted = 0;
  #lastCaller: AuthorizedClient | undefined;

  /** `endpoint` is the URL to which the client sends its messages. */
  constructor(
    stream: EventStream,
    endpoint: string,
    request: Pick<HttpRequest, "principal" | "sessionOwner" | "address">,
    limits: SseLimits,
  ) {
    this.#stream = stream;
    this.#limits = limits;
    this.owner = requestOwnerOf(request);
    this.#anonymous = { ...UNAUTHENTICATED, address: request.address };
    void stream.write(encodeSseEvent({ event: "endpoint", data: endpoint }));
    stream.whenEnded(() => this.#end());
  }

  /**
   * Queues a message of the client. Messages wait only while the client does not read its stream, so they count as what this process
   * holds for such clients. Returns the name of the limit if there is no room.
   * @param characters the length of its text
   */
  push(incoming: Incoming, caller: AuthorizedClient | undefined, characters: number): string | undefined {
    if (this.#queue.size >= MAX_MESSAGES) return "limits.maxInFlight";
    if (!this.#queue.hasRoom(characters, this.#limits.maxBuffered)) return "limits.maxBuffered";
    this.#callers.push(caller);
    this.#queue.push(incoming, characters);
    this.#count();
    return undefined;
  }

  #count(): void {
    const waiting = this.#queue.ended ? 0 : this.#queue.characters;
    unsent.size += waiting - this.#counted;
    this.#counted = waiting;
  }

  #end(): void {
    this.#queue.end(new ConnectionClosedError());
    this.#count();
  }

  send(message: Outgoing): MaybePromise<void> {
    if (this.#stream.ended) throw new ConnectionClosedError();
    const line = lineOf(message);
    const max = this.#limits.maxResultSize;
    if (line.length <= max || !("result" in message)) return this.#stream.send(line);
    const error = new LimitExceededError("limits.maxResultSize", max, line.length, ErrorCode.InternalError).toErrorData();
    return this.#stream.send(lineOf({ jsonrpc: "2.0", id: message.id, error }));
  }

  writeNow(): void {
    this.#stream.writeNow();
  }

  receive(): MaybePromise<Incoming> {
    const next = this.#queue.receive();
    return isPromise(next) ? next.then((incoming) => this.#received(incoming)) : this.#received(next);
  }

  #received(incoming: Incoming): Incoming {
    this.#count();
    this.#lastCaller = this.#callers.shift();
    return incoming;
  }

  get lastSender(): TransportContext {
    return this.#lastCaller ?? this.#anonymous;
  }

  close(): Promise<void> {
    this.#end();
    this.#stream.end();
    return Promise.resolve();
  }
}
