/**
 * One session of a stateful revision over HTTP: a connection whose messages arrive and leave on many requests.
 *
 * To the server it is a dispatcher like any other. Here it is decided which stream a message takes: what belongs to a
 * request of the client goes out on that request's response, everything else on the stream the client opens with GET
 * (E1.6, E2). That a client goes away cancels nothing (E1.8).
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import {
  coerceRequestId,
  isRequest,
  isResponse,
  JsonText,
  type JsonObject,
  type JSONRPCMessage,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { ConnectionClosedError, ErrorCode, NoBackChannelError } from "../../jsonrpc/mcp-error.ts";
import { isBatch, type Incoming, type MalformedMessage, type Outgoing } from "../../jsonrpc/incoming.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import type { Clock } from "../../dispatch/clock.ts";
import type { Dispatcher, OnNotification, OnRequest, RawResult, RequestOptions, TransportContext } from "../../dispatch/dispatcher.ts";
import { Exchange } from "../../dispatch/exchange.ts";
import type { Link } from "../../dispatch/link.ts";
import { NOBODY } from "./authorize.ts";
import { encodeObject } from "./encode-object.ts";
import type { EventStore } from "./event-store.ts";
import type { EventStream } from "./event-stream.ts";
import { ACCEPTED, refusal, type HttpRequest, type HttpResponse } from "./http-message.ts";
import { messageText } from "./message-text.ts";
import { omissionKeyOf } from "./omissions.ts";
import { ResumableStream } from "./resumable-stream.ts";
import type { MessageStream, ResponseMode } from "./reply.ts";
import { SessionPost, type PostOwner } from "./session-post.ts";
import { SessionStreams, type StreamsOwner } from "./session-streams.ts";
import type { Serving } from "./serving.ts";

/** From this revision on a stream begins with an id, so that the client can come back before anything was said. */
const PRIMED_SINCE = "2025-11-25";

/** What a session is part of. */
export interface SessionHost {
  readonly serving: Serving;
  readonly store: EventStore;
  /** The session has ended, for whatever reason. */
  ended(session: HttpSession): void;
}

export class HttpSession implements Dispatcher, Link, PostOwner, StreamsOwner {
  readonly id: string;
  /** Whoever opened it; for all others it does not exist. */
  readonly principal: string | undefined;
  readonly createdAt: number;
  /** When the last request or stream ended. */
  lastUsed: number;
  /** Whether the client has come back after the handshake. */
  confirmed = false;
  readonly #host: SessionHost;
  /** Whether it has streams of its own: else it lives for one POST, and there is no way to ask the client. */
  readonly #alone: boolean;
  readonly #exchange: Exchange;
  /** POSTs whose answer is not known yet, by the ids of their requests. */
  #posts: Map<RequestId, SessionPost> | undefined;
  /** The POST that is being read right now. */
  #reading: SessionPost | undefined;
  #streams: SessionStreams | undefined;
  #version: string | undefined;
  /** POSTs and streams that are open: they hold the session. */
  #held = 0;
  #closed = false;
  #started: (() => void) | undefined;
  #running = false;
  #end: (() => void) | undefined;

  constructor(host: SessionHost, id: string, principal: string | undefined, alone = false) {
    this.#host = host;
    this.id = id;
    this.principal = principal;
    this.#alone = alone;
    this.createdAt = this.lastUsed = host.serving.now();
    this.#exchange = new Exchange(this, { limits: host.serving.limits, answerMalformed: true });
  }

  /** Lets the server serve it. @throws whatever the server refuses with */
  start(server: Acceptor): MaybePromise<void> {
    const served = server.accept(this);
    const ended = served.then(
      () => this.close(),
      (error: unknown) => this.close(error).then(() => Promise.reject(error)),
    );
    if (!this.#running) return Promise.race([ended, new Promise<void>((resolve) => (this.#started = resolve))]);
    ended.catch((error: unknown) => this.report(error));
    return undefined;
  }

  /** Whether the handshake has been answered, and in which revision. */
  get version(): string | undefined {
    return this.#version;
  }

  get idle(): boolean {
    return this.#held === 0;
  }

  /** Whether the server answers on it. */
  get running(): boolean {
    return this.#running && !this.#closed;
  }

  get serving(): Serving {
    return this.#host.serving;
  }

  // ---- what arrives ----

  /** Takes the requests of one POST, and answers it. */
  post(incoming: Incoming, mode: ResponseMode, request?: HttpRequest, quick = false): MaybePromise<HttpResponse> {
    const post = new SessionPost(this, mode, incoming, request);
    this.#reading = post;
    try {
      this.#exchange.accept(incoming);
    } finally {
      this.#reading = undefined;
    }
    if (isBatch(incoming)) this.#cancelledBy(incoming);
    if (post.reply.finished) return this.#used(post.reply.response());
    if (post.open === 0) return this.#used(ACCEPTED);
    this.#await(post, quick);
    return post.reply.response();
  }

  #used<T>(response: T): T {
    if (this.#held === 0) this.lastUsed = this.serving.now();
    return response;
  }

  #await(post: SessionPost, quick: boolean): void {
    this.#posts ??= new Map();
    for (const id of post.ids) this.#posts.set(id, post);
    this.#hold();
    this.serving.started();
    if (!quick && post.mode !== "json" && !post.reply.streaming) this.serving.awaitReply(post.reply);
  }

  /** Takes what wants no answer. */
  tellServer(incoming: Incoming): void {
    this.#exchange.accept(incoming);
    this.#used(undefined);
    this.#cancelledBy(isBatch(incoming) ? incoming : [incoming]);
  }

  #cancelledBy(messages: readonly (JSONRPCMessage | MalformedMessage)[]): void {
    for (const message of messages) {
      if ("method" in message && message.method === "notifications/cancelled") this.#cancelled(message.params);
    }
  }

  /** A request that was cancelled gets no answer: its POST ends without one. */
  #cancelled(params: JsonObject | undefined): void {
    const id = params?.["requestId"];
    if (typeof id !== "string" && typeof id !== "number") return;
    const own = this.#posts?.has(id) === true ? id : coerceRequestId(id);
    const post = this.#posts?.get(own);
    if (post === undefined || !post.cancel(own)) return;
    this.#done(post);
    post.reply.abandon(ACCEPTED);
  }

  #done(post: SessionPost): void {
    const posts = this.#posts;
    let known = false;
    for (const id of post.ids) if (posts?.get(id) === post) known = posts.delete(id);
    if (!known) return;
    if (posts?.size === 0) this.#posts = undefined;
    this.serving.ended();
    this.#release();
  }

  #hold(): void {
    this.#held++;
  }

  #release(): void {
    this.#held--;
    this.lastUsed = this.serving.now();
  }

  // ---- streams ----

  /** Where streams are kept, made with the first of them. */
  get streams(): SessionStreams {
    return (this.#streams ??= new SessionStreams(this));
  }

  openPostStream(): { messages: MessageStream; body: EventStream } {
    if (!this.#alone) return this.streams.openPost();
    const body = this.openBody();
    return { messages: body, body };
  }

  openBody(): EventStream {
    const body = this.serving.openStream();
    this.#hold();
    body.whenEnded(() => {
      this.serving.heartbeat.delete(body);
      this.#release();
    });
    return body;
  }

  get retry(): number | undefined {
    return this.#version !== undefined && this.#version >= PRIMED_SINCE ? this.serving.settings.retry : undefined;
  }

  /** Ends the stream of GET, in good order. */
  releaseUnrelated(): void {
    this.#streams?.releaseUnrelated();
  }

  get store(): EventStore {
    return this.#host.store;
  }

  // ---- as the server sees it ----

  get acceptsBatches(): boolean {
    return this.#exchange.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#exchange.acceptsBatches = legal;
  }

  get canSendRequest(): boolean {
    return !this.#alone;
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    this.#running = true;
    this.#started?.();
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#exchange.request(method, params, options);
  }

  notify(method: string, params?: JsonObject): MaybePromise<void> {
    return this.#exchange.notify(method, params);
  }

  /** Ends the session: what runs is aborted, what waits for an answer gets none. Idempotent. */
  close(reason?: unknown): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#host.ended(this);
    this.#exchange.close(
      new ConnectionClosedError("The session has ended", undefined, reason === undefined ? undefined : { cause: reason }),
    );
    for (const post of new Set(this.#posts?.values())) {
      this.#done(post);
      post.reply.abandon(sessionNotFound());
    }
    this.#streams?.end();
    this.#end?.();
    const dropped = this.#alone ? undefined : this.#host.store.drop(this.id);
    return isPromise(dropped) ? dropped.catch((error: unknown) => this.report(error)) : Promise.resolve();
  }

  // ---- the link below the exchange ----

  get clock(): Clock {
    return this.serving.settings.clock;
  }

  get context(): TransportContext {
    return this.#reading ?? NOBODY;
  }

  encode(result: JsonObject): RawResult {
    return encodeObject(result, this.serving.settings.maxResultSize);
  }

  report(error: unknown): void {
    this.serving.report(error);
  }

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
    if (isBatch(message) || isResponse(message)) return this.#answer(post ?? this.#reading, message);
    if (this.#closed) throw new ConnectionClosedError("The session has ended");
    if (post !== undefined && (post.mode !== "json" || !isRequest(message))) {
      if (this.#alone && isRequest(message)) throw new NoBackChannelError(message.method);
      return post.reply.send(messageText(message), post.reply.crowded ? omissionKeyOf(message) : undefined);
    }
    return this.#sendUnrelated(message);
  }

  #postOf(related: RequestId): SessionPost | undefined {
    return this.#reading?.has(related) ? this.#reading : this.#posts?.get(related);
  }

  #answer(post: SessionPost | undefined, message: Outgoing): undefined {
    if (post === undefined) return undefined;
    if (this.#version === undefined) this.#learnVersion(message);
    this.#done(post);
    const refusal = isBatch(message) || !("error" in message) ? undefined : post.caller?.refusal;
    post.reply.answer(message, refusal?.status, refusal?.headers);
    return undefined;
  }

  /** The first result is that of the handshake. */
  #learnVersion(message: Outgoing): void {
    if (isBatch(message) || !("result" in message)) return;
    const result = message.result instanceof JsonText ? (message.result.toJSON() as JsonObject) : message.result;
    if (typeof result["protocolVersion"] === "string") this.#version = result["protocolVersion"];
  }

  #sendUnrelated(message: JSONRPCMessage): MaybePromise<void> {
    if (this.#alone) {
      if (isRequest(message)) throw new NoBackChannelError(message.method);
      return undefined;
    }
    return this.streams.sendUnrelated(messageText(message));
  }

  release(related: RequestId): void {
    const post = this.#postOf(related);
    if (post === undefined || this.#alone || post.mode === "json" || this.retry === undefined) return;
    const messages = post.reply.open();
    if (messages instanceof ResumableStream) messages.release();
  }
}

/** Tells a client that its session is gone, or never was: it opens another one (E4.4). */
export function sessionNotFound(id: RequestId | null = null): HttpResponse {
  return refusal(404, { code: ErrorCode.InvalidRequest, message: "Session not found" }, id);
}
