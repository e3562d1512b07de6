/**
 * The HTTP response to one POST: a JSON body if the response is the first message, else a stream.
 *
 * It also becomes a stream if the response takes long, so that no proxy takes the silence for a broken connection. Stateless requests and
 * sessions use it. The opened stream keeps events for later, if they are kept.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Outgoing } from "../../../jsonrpc/incoming.ts";
import type { Watched } from "../../../dispatch/deadlines.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { isBatch, type JSONRPCError, type JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import { unsent } from "../../../base/unsent.ts";
import type { EventStream } from "./event-stream.ts";
import { jsonResponse, lineOf, singleEventResponse, SSE_HEADERS, type HttpResponse } from "../http-message.ts";
import { DroppedEvents, type DropKey } from "./dropped-events.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";

/** Characters of a last message that is sent even if the process holds more than `maxUnsent`. */
const SMALL_LINE = 32_768;

export interface MessageStream {
  send(data: string): MaybePromise<void>;
  /** Ends the stream, after a last message if there is one. */
  end(data?: string): void;
  /** Whether so much waits that droppable messages should be dropped. */
  readonly crowded: boolean;
  /** Resolves when the client has read what waits, or is gone. */
  whenRead(): MaybePromise<void>;
  /** Ends the HTTP response and not the stream; absent if the client cannot resume the stream. */
  release?(): void;
}

/** An opened stream: `messages` takes messages, `body` is what the client reads. */
export interface OpenedStream {
  readonly messages: MessageStream;
  readonly body: EventStream;
}

/** The request that a reply belongs to. */
export interface ReplyOwner {
  readonly mode: ResponseMode;
  readonly serving: Serving;
  openStream(): OpenedStream;
}

export class Reply implements Watched {
  /** When the stream opens although no message was sent. */
  deadline: number = Infinity;
  isWatched = false;
  readonly #owner: ReplyOwner;
  #messages: MessageStream | undefined;
  #dropped: DroppedEvents | undefined;
  #response: HttpResponse | undefined;
  #resolve: ((response: HttpResponse) => void) | undefined;
  #finished = false;

  constructor(owner: ReplyOwner) {
    this.#owner = owner;
  }

  /** Whether the response has begun as a stream. */
  get streaming(): boolean {
    return this.#messages !== undefined;
  }

  /** Whether the last message was sent. */
  get finished(): boolean {
    return this.#finished;
  }

  /** The HTTP response; at once if it is known. */
  response(): MaybePromise<HttpResponse> {
    if (this.#response !== undefined) return this.#response;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether so much waits for the client that droppable messages should be dropped. */
  get crowded(): boolean {
    return this.#messages?.crowded === true;
  }

  /** Sends a message before the response, which opens the stream. With a `key` the message is dropped. */
  send(data: string, key?: DropKey): MaybePromise<void> {
    if (this.#finished || this.#owner.mode === "json") return undefined;
    return key === undefined ? this.open().send(data) : this.#drop(data, key);
  }

  /** Drops a message. The newest progress is sent when the client has caught up. */
  #drop(data: string, key: DropKey): MaybePromise<void> {
    const read = this.#messages!.whenRead();
    this.#dropped ??= new DroppedEvents();
    if (!this.#dropped.any) void Promise.resolve(read).then(() => this.#makeUp());
    this.#dropped.add(key, data);
    return read;
  }

  #makeUp(): void {
    const { serving } = this.#owner;
    const { latest, report } = this.#dropped!.take(serving.settings.limits.maxBuffered);
    serving.report(report);
    if (!this.#finished) for (const data of latest) void this.open().send(data);
  }

  /** Begins the stream, unless it has begun. */
  open(): MessageStream {
    if (this.#messages !== undefined) return this.#messages;
    const { messages, body } = this.#owner.openStream();
    this.#messages = messages;
    this.#begin({ status: 200, headers: SSE_HEADERS, body });
    return messages;
  }

  /** Opens the stream, because no message was sent for `sseAfter` milliseconds. */
  expire(): void {
    this.deadline = Infinity;
    if (!this.#finished) this.open();
  }

  /** Sends the response. The status applies only if no stream is open. */
  respond(message: Outgoing, status = 200, headers?: readonly string[]): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#messages !== undefined) this.#messages.end(this.#lastLine(message));
    else this.#begin(status === 200 && this.#owner.mode === "sse" ? singleEventResponse(message) : jsonResponse(status, message, headers));
  }

  /**
   * The last message of a stream; an error if the result is large and the process holds more than `maxUnsent` for clients that do not
   * read.
   */
  #lastLine(message: Outgoing): string {
    const line = lineOf(message);
    const { maxUnsent } = this.#owner.serving.limits;
    if (line.length <= SMALL_LINE || unsent.size <= maxUnsent) return line;
    const error = new LimitExceededError("limits.maxUnsent", maxUnsent, unsent.size, ErrorCode.InternalError).toErrorData();
    const refused = (one: JSONRPCMessage): JSONRPCError => ({ jsonrpc: "2.0", id: "id" in one ? one.id : null, error });
    return stringifyMessage(isBatch(message) ? message.map(refused) : refused(message));
  }

  /** Ends without a response message. The client gets `response` if no stream is open. */
  abandon(response: HttpResponse): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#messages !== undefined) this.#messages.end();
    else this.#begin(response);
  }

  #begin(response: HttpResponse): void {
    this.#owner.serving.forget(this);
    this.#response = response;
    this.#resolve?.(response);
  }
}
