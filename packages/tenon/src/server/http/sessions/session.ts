/**
 * One session of a stateful revision over HTTP: a connection whose messages arrive and leave on many requests.
 *
 * For the server it is a dispatcher. This file opens a session, delivers its messages and ends it. `session-state.ts` is the shared
 * state, `session-channel.ts` chooses the stream of a message. A client that disconnects cancels nothing.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions } from "../../../dispatch/dispatcher.ts";
import type { ConnectionMemory } from "../../../dispatch/connection-facts.ts";
import { Exchange } from "../../../dispatch/exchange.ts";
import type { MemoryEventLog } from "../../../storage/memory/event-log.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import { ConnectionClosedError, type McpError } from "../../../jsonrpc/mcp-error.ts";
import { isBatch, type JsonObject, type RequestId } from "../../../jsonrpc/message.ts";
import { ACCEPTED_202, type HttpResponse } from "../http-message.ts";
import { refusedBy, sessionNotFound, unavailable } from "../refusals.ts";
import { SessionChannel } from "./session-channel.ts";
import { SessionPost, WaitingPosts, type PostOptions } from "./session-posts.ts";
import { SessionState, type SessionOptions } from "./session-state.ts";
import type { LostRequest, SessionRequests } from "./shared-session.ts";
import { SinglePostStreams, type Streams } from "./streams.ts";
import { OwnStandingStream } from "./standing-stream.ts";
import { OwnHome } from "./stream-home.ts";
import { SessionStreams } from "./session-streams.ts";

const UNSERVED = "The server is not available";

export class Session implements Dispatcher, SessionRequests {
  readonly state: SessionState;
  readonly streams: Streams;
  readonly #onEnd: ((session: Session) => void) | undefined;
  readonly #waiting: WaitingPosts;
  readonly #channel: SessionChannel;
  readonly #exchange: Exchange;
  /** Set until the server accepts or refuses the session. */
  #starting: { resolve(): void; reject(error: unknown): void } | undefined;
  #running = false;
  #end: (() => void) | undefined;

  /** @param onEnd called when the session has ended, for whatever reason */
  constructor(options: SessionOptions, onEnd?: (session: Session) => void) {
    this.state = new SessionState(this, options);
    this.#onEnd = onEnd;
    const { shared, events } = options;
    this.streams = shared?.createStreams(this.state, this) ?? streamsOf(this.state, this, events);
    this.#waiting = new WaitingPosts(this.state);
    this.#channel = new SessionChannel(this.state, this.#waiting, this.streams);
    this.#exchange = new Exchange(this.#channel);
  }

  get sessionId(): string | undefined {
    return this.state.singlePost ? undefined : this.state.id;
  }

  // ---- its life ----

  /** Responds with `serve` if the server accepts the session; with 503 if it refuses. */
  start(server: Acceptor, serve: () => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    const answer = (): MaybePromise<HttpResponse> => (this.#isServed ? serve() : unavailable(UNSERVED));
    return (
      this.#acceptBy(server)?.then(answer, (error: unknown) => {
        this.state.serving.report(error);
        return refusedBy(error);
      }) ?? answer()
    );
  }

  /** Resolves when the server serves this session, which another node has opened. Rejects if it refuses. */
  async resume(server: Acceptor): Promise<void> {
    await this.#acceptBy(server);
  }

  get #isServed(): boolean {
    return this.#running && !this.state.closed;
  }

  /** Passes the session to the server. Returns undefined if the server decides at once. */
  #acceptBy(server: Acceptor): Promise<void> | undefined {
    server.accept(this).then(
      () => this.close(),
      (error: unknown) => this.#refused(error),
    );
    if (this.#running || this.state.closed) return undefined;
    return new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
  }

  /** Closes the session because the server has refused it or failed. */
  async #refused(error: unknown): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    await this.close(error);
    if (starting === undefined) this.state.serving.report(error);
    else starting.reject(error);
  }

  failAll(error: McpError): void {
    this.#exchange.inbound.failAll(error);
  }

  /** Ends the session: running handlers are aborted, and pending requests get no result. Idempotent. */
  close(reason?: unknown): Promise<void> {
    const { state } = this;
    if (state.closed) return Promise.resolve();
    state.closed = true;
    this.#onEnd?.(this);
    this.#exchange.close(
      new ConnectionClosedError("The session has ended", undefined, reason === undefined ? undefined : { cause: reason }),
    );
    if (state.shared !== undefined) this.streams.end(); // what this node runs is not over: another may take it over
    this.#waiting.abandonAll(sessionNotFound());
    this.streams.end();
    this.#starting?.resolve();
    this.#end?.();
    return Promise.resolve();
  }

  // ---- what arrives ----

  post(options: PostOptions): MaybePromise<HttpResponse> {
    const { incoming, quick = false } = options;
    const channel = this.#channel;
    const post = new SessionPost(this.state.serving, this.streams, options);
    channel.reading = post;
    try {
      this.#exchange.accept(incoming);
    } finally {
      channel.reading = undefined;
    }
    if (isBatch(incoming)) this.#waiting.takeCancellations(incoming);
    if (!post.reply.finished) {
      if (post.open > 0) this.#waiting.add(post, quick);
      else post.reply.abandon(ACCEPTED_202);
    }
    this.state.used();
    return post.reply.response();
  }

  /** Delivers messages that get no response. */
  deliver(incoming: Incoming): void {
    this.#exchange.accept(incoming);
    this.state.used();
    this.#waiting.takeCancellations(isBatch(incoming) ? incoming : [incoming]);
  }

  abort(ids: readonly RequestId[], reason: string): void {
    for (const requestId of ids) this.deliver({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  }

  repeat(lost: LostRequest): void {
    void this.post(lost);
  }

  runs(id: RequestId): boolean {
    return this.#waiting.get(id) !== undefined;
  }

  // ---- as the server sees it ----

  get memory(): ConnectionMemory | undefined {
    return this.state.shared?.memory;
  }

  get acceptsBatches(): boolean {
    return this.#channel.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#channel.acceptsBatches = legal;
  }

  get canSendRequest(): boolean {
    return !this.state.singlePost;
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    this.#running = true;
    this.#starting?.resolve();
    this.#starting = undefined;
    if (this.state.closed) return Promise.resolve();
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
}

/** The streams of a session that no other process serves. */
function streamsOf(state: SessionState, requests: SessionRequests, events: MemoryEventLog | undefined): Streams {
  if (events === undefined) return new SinglePostStreams(state);
  return new SessionStreams(state, requests, (streams) => ({
    home: new OwnHome(state.serving, state.id, events),
    standing: new OwnStandingStream(streams, state),
  }));
}
