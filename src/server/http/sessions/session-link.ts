/**
 * Which stream a message of a session takes: what belongs to a request of the client goes out on that request's
 * response, everything else on the stream the client opens with GET (E1.6, E2).
 *
 * It is what the session's exchange stands on. Of the life of a session it knows only what holds it.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { isRequest, isResponse, JsonText, type JsonObject, type JSONRPCMessage, type RequestId } from "../../../jsonrpc/message.ts";
import { ConnectionClosedError, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import { type Outgoing } from "../../../jsonrpc/incoming.ts";
import { isBatch } from "../../../jsonrpc/message.ts";
import { stringifyMessage } from "../../../jsonrpc/serialise.ts";
import type { Clock } from "../../../base/clock.ts";
import type { RawResult, TransportContext } from "../../../dispatch/dispatcher.ts";
import type { DispatcherLimits } from "../../../dispatch/limits.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { Channel } from "../../../dispatch/channel.ts";
import { UNAUTHENTICATED } from "../caller.ts";
import type { EventStore } from "./event-store.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { HttpResponse } from "../http-message.ts";
import { messageText } from "../exchange/message-text.ts";
import { dropKeyOf } from "../exchange/dropped-events.ts";
import type { MessageStream } from "../exchange/reply.ts";
import { ResumableStream } from "./resumable-stream.ts";
import type { PostOwner, SessionPost } from "./session-post.ts";
import { SessionStreams, type StreamsOwner } from "./session-streams.ts";
import type { Serving } from "../serving.ts";
import { WaitingPosts, type HeldSession } from "./waiting-posts.ts";

export interface LinkedSession extends HeldSession {
  readonly id: string;
  readonly store: EventStore;
  /** Whether it lives for one POST: it has no streams of its own, and there is no way to ask the client. */
  readonly alone: boolean;
  readonly closed: boolean;
}

export class SessionLink implements Channel, PostOwner, StreamsOwner {
  readonly answerMalformed = true;
  acceptsBatches = false;
  /** The POST that is being read right now. */
  reading: SessionPost | undefined;
  /** The revision of the session, once the handshake has been answered. */
  version: string | undefined;
  readonly waiting: WaitingPosts;
  readonly #session: LinkedSession;
  #streams: SessionStreams | undefined;

  constructor(session: LinkedSession) {
    this.#session = session;
    this.waiting = new WaitingPosts(session);
  }

  get id(): string {
    return this.#session.id;
  }

  get serving(): Serving {
    return this.#session.serving;
  }

  get store(): EventStore {
    return this.#session.store;
  }

  get limits(): DispatcherLimits {
    return this.serving.limits;
  }

  get maxBuffered(): number {
    return this.serving.settings.maxBuffered;
  }

  get clock(): Clock {
    return this.serving.settings.clock;
  }

  get context(): TransportContext {
    return this.reading ?? UNAUTHENTICATED;
  }

  encode(result: JsonObject): RawResult {
    return this.serving.encode(result);
  }

  report(error: unknown): void {
    this.serving.report(error);
  }

  // ---- messages ----

  tell(message: Outgoing, related?: RequestId): MaybePromise<void> {
    try {
      return this.send(message, related);
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  send(message: Outgoing, related?: RequestId): MaybePromise<void> {
    const post = related === undefined ? undefined : this.#postOf(related);
    if (isBatch(message) || isResponse(message)) return this.#answer(post ?? this.reading, message);
    if (this.#session.closed) throw new ConnectionClosedError("The session has ended");
    if (post !== undefined && (post.mode !== "json" || !isRequest(message))) {
      if (this.#session.alone && isRequest(message)) throw new NoBackChannelError(message.method);
      return post.reply.send(stringifyMessage(message), post.reply.crowded ? dropKeyOf(message) : undefined);
    }
    return this.#sendUnrelated(message);
  }

  #postOf(related: RequestId): SessionPost | undefined {
    return this.reading?.has(related) ? this.reading : this.waiting.get(related);
  }

  #answer(post: SessionPost | undefined, message: Outgoing): undefined {
    if (post === undefined) return undefined;
    if (this.version === undefined) this.#learnVersion(message);
    this.waiting.delete(post);
    const refusal = isBatch(message) || !("error" in message) ? undefined : post.caller?.refusal;
    post.reply.answer(message, refusal?.status, refusal?.headers);
    return undefined;
  }

  /** The first result is that of the handshake. */
  #learnVersion(message: Outgoing): void {
    if (isBatch(message) || !("result" in message)) return;
    const result = message.result instanceof JsonText ? (message.result.toJSON() as JsonObject) : message.result;
    if (typeof result["protocolVersion"] === "string") this.version = result["protocolVersion"];
  }

  #sendUnrelated(message: JSONRPCMessage): MaybePromise<void> {
    if (!this.#session.alone) return this.streams.sendUnrelated(messageText(message));
    if (isRequest(message)) throw new NoBackChannelError(message.method);
    return undefined;
  }

  // ---- streams ----

  /** Where streams are kept, made with the first of them. */
  get streams(): SessionStreams {
    return (this.#streams ??= new SessionStreams(this));
  }

  get retry(): number | undefined {
    return this.version !== undefined && codecFor(this.version)?.primesStreams ? this.serving.settings.retry : undefined;
  }

  openPostStream(): { messages: MessageStream; body: EventStream } {
    if (!this.#session.alone) return this.streams.openPost();
    const body = this.openBody();
    return { messages: body, body };
  }

  openBody(): EventStream {
    const body = this.serving.openStream();
    this.#session.hold();
    body.whenEnded(() => {
      this.serving.heartbeat.delete(body);
      this.#session.release();
    });
    return body;
  }

  release(related: RequestId): void {
    const post = this.#postOf(related);
    if (post === undefined || this.#session.alone || post.mode === "json" || this.retry === undefined) return;
    const messages = post.reply.open();
    if (messages instanceof ResumableStream) messages.release();
  }

  /** Ends the stream of GET, in good order. */
  releaseUnrelated(): void {
    this.#streams?.releaseUnrelated();
  }

  /** Nothing more will be said: streams end, and whoever waits gets `response`. */
  end(response: HttpResponse): void {
    this.waiting.abandonAll(response);
    this.#streams?.end();
  }
}
