/**
 * What one POST is answered with: a JSON body if the answer is the first thing there is to say, else a stream.
 *
 * It is a stream too where the answer takes long, so that nobody between client and server takes the silence for a
 * broken connection. Used by stateless requests and by sessions alike; where events are kept for later, the opened
 * stream does that.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Outgoing } from "../../../jsonrpc/incoming.ts";
import type { Expiring } from "../../../dispatch/deadlines.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { isBatch, type JSONRPCError, type JSONRPCMessage } from "../../../jsonrpc/message.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import { unsent, type EventStream } from "./event-stream.ts";
import { jsonResponse, lineOf, singleEventResponse, SSE_HEADERS, type HttpResponse } from "../http-message.ts";
import { DroppedEvents, type DropKey } from "./dropped-events.ts";
import type { ResponseMode } from "../options.ts";
import type { Serving } from "../serving.ts";

/** Characters of a last message that is sent even while the process holds too much. */
const SMALL_LINE = 32_768;

/** Where messages go once a stream is open. */
export interface MessageStream {
  send(data: string): MaybePromise<void>;
  /** The last message, or none. */
  end(data?: string): void;
  /** Whether so much waits that what can be left out should be. */
  readonly crowded: boolean;
  /** Resolves when what waits has been taken, or nobody is there to take it. */
  whenRead(): MaybePromise<void>;
}

/** A stream that has been opened: where messages go, and what the client gets to read. */
export interface OpenedStream {
  readonly messages: MessageStream;
  readonly body: EventStream;
}

/** What a reply asks of the request that it is for. */
export interface ReplyOwner {
  readonly mode: ResponseMode;
  readonly serving: Serving;
  openStream(): OpenedStream;
}

export class Reply implements Expiring {
  /** When the stream opens although nothing was said. */
  deadline: number = Infinity;
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

  /** Whether everything was said. */
  get finished(): boolean {
    return this.#finished;
  }

  /** The response, at once where it is known. */
  response(): MaybePromise<HttpResponse> {
    if (this.#response !== undefined) return this.#response;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether so much waits for the client that what can be left out should be. */
  get crowded(): boolean {
    return this.#messages?.crowded === true;
  }

  /** Says something before the answer: from here on the response is a stream. With a `key` it is left out. */
  send(data: string, key?: DropKey): MaybePromise<void> {
    if (this.#finished || this.#owner.mode === "json") return undefined;
    return key === undefined ? this.open().send(data) : this.#drop(data, key);
  }

  /** What is left out is made up for with the newest when the client has read what waits. */
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

  /** Nothing was said for long enough. */
  expire(): void {
    this.deadline = Infinity;
    if (!this.#finished) this.open();
  }

  /** Says the last word. The status counts only where nothing was said before. */
  respond(message: Outgoing, status = 200, headers?: readonly string[]): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#messages !== undefined) this.#messages.end(this.#lastLine(message));
    else this.#begin(status === 200 && this.#owner.mode === "sse" ? singleEventResponse(message) : jsonResponse(status, message, headers));
  }

  /** The last message of a stream: an error if the result is large and the process holds too much already for clients that do not read. */
  #lastLine(message: Outgoing): string {
    const line = lineOf(message);
    const { maxUnsent } = this.#owner.serving.limits;
    if (line.length <= SMALL_LINE || unsent.size <= maxUnsent) return line;
    const error = new LimitExceededError("limits.maxUnsent", maxUnsent, unsent.size, ErrorCode.InternalError).toErrorData();
    const refused = (one: JSONRPCMessage): JSONRPCError => ({ jsonrpc: "2.0", id: "id" in one ? one.id : null, error });
    return stringifyMessage(isBatch(message) ? message.map(refused) : refused(message));
  }

  /** There will be no answer. `response` is what the client gets where nothing was said yet. */
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
