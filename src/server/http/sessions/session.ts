/**
 * One session of a stateful revision over HTTP: a connection whose messages arrive and leave on many requests.
 *
 * To the server it is a dispatcher like any other. Here is how it lives: what opens, holds and ends it. Which stream a
 * message takes is decided in `session-link.ts`. That a client goes away cancels nothing (E1.8).
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, type JsonObject } from "../../../jsonrpc/message.ts";
import { ConnectionClosedError, type McpError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import type { Dispatcher, OnNotification, OnRequest, RequestOptions } from "../../../dispatch/dispatcher.ts";
import { Exchange } from "../../../dispatch/exchange.ts";
import type { EventStore } from "./event-store.ts";
import { ACCEPTED, type HttpRequest, type HttpResponse } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import { sessionNotFound } from "../refusals.ts";
import { SessionLink, type LinkedSession } from "./session-link.ts";
import { SessionPost } from "./session-post.ts";
import type { SessionStreams } from "./session-streams.ts";
import type { Serving } from "../serving.ts";

/** What a session is part of. */
export interface SessionHost {
  readonly serving: Serving;
  readonly store: EventStore;
  /** The session has ended, for whatever reason. */
  ended(session: HttpSession): void;
}

export class HttpSession implements Dispatcher, LinkedSession {
  readonly id: string;
  /** Whoever opened it; for all others it does not exist. */
  readonly principal: string | undefined;
  readonly alone: boolean;
  readonly createdAt: number;
  /** When the last request or stream ended. */
  lastUsed: number;
  /** Whether the client has come back after the handshake. */
  confirmed = false;
  readonly #host: SessionHost;
  readonly #link: SessionLink;
  readonly #exchange: Exchange;
  /** POSTs and streams that are open. */
  #held = 0;
  #closed = false;
  /** Whoever waits for the server. */
  #starting: { resolve(): void; reject(error: unknown): void } | undefined;
  #running = false;
  #end: (() => void) | undefined;

  constructor(host: SessionHost, id: string, principal: string | undefined, alone = false) {
    this.#host = host;
    this.id = id;
    this.principal = principal;
    this.alone = alone;
    this.createdAt = this.lastUsed = host.serving.now();
    this.#link = new SessionLink(this);
    this.#exchange = new Exchange(this.#link);
  }

  get serving(): Serving {
    return this.#host.serving;
  }

  get store(): EventStore {
    return this.#host.store;
  }

  /** Whether the handshake has been answered, and in which revision. */
  get version(): string | undefined {
    return this.#link.version;
  }

  // ---- its life ----

  /** Lets the server serve it. @throws whatever the server refuses with */
  start(server: Acceptor): MaybePromise<void> {
    server.accept(this).then(
      () => this.close(),
      (error: unknown) => this.#refused(error),
    );
    if (this.#running || this.#closed) return undefined;
    return new Promise((resolve, reject) => {
      this.#starting = { resolve, reject };
    });
  }

  /** The server does not serve it, or no longer. */
  async #refused(error: unknown): Promise<void> {
    const starting = this.#starting;
    this.#starting = undefined;
    await this.close(error);
    if (starting === undefined) this.serving.report(error);
    else starting.reject(error);
  }

  /** Whether the server answers on it. */
  get running(): boolean {
    return this.#running && !this.#closed;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get idle(): boolean {
    return this.#held === 0;
  }

  hold(): void {
    this.#held++;
  }

  release(): void {
    this.#held--;
    this.lastUsed = this.serving.now();
  }

  /** Answers what runs with `error`. */
  failAll(error: McpError): void {
    this.#exchange.inbound.failAll(error);
  }

  /** Ends the session: what runs is aborted, what waits for an answer gets none. Idempotent. */
  close(reason?: unknown): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#closed = true;
    this.#host.ended(this);
    this.#exchange.close(
      new ConnectionClosedError("The session has ended", undefined, reason === undefined ? undefined : { cause: reason }),
    );
    this.#link.end(sessionNotFound());
    this.#starting?.resolve();
    this.#end?.();
    const dropped = this.alone ? undefined : this.store.drop(this.id);
    return isPromise(dropped) ? dropped.catch((error: unknown) => this.serving.report(error)) : Promise.resolve();
  }

  // ---- what arrives ----

  /** Takes the requests of one POST, and answers it. */
  post(incoming: Incoming, mode: ResponseMode, request?: HttpRequest, quick = false): MaybePromise<HttpResponse> {
    const link = this.#link;
    const post = new SessionPost(link, mode, incoming, request);
    link.reading = post;
    try {
      this.#exchange.accept(incoming);
    } finally {
      link.reading = undefined;
    }
    if (isBatch(incoming)) link.waiting.cancelledBy(incoming);
    if (post.reply.finished) return this.#used(post.reply.response());
    if (post.open === 0) return this.#used(ACCEPTED);
    link.waiting.add(post, quick);
    return post.reply.response();
  }

  /** Takes what wants no answer. */
  tellServer(incoming: Incoming): void {
    this.#exchange.accept(incoming);
    this.#used(undefined);
    this.#link.waiting.cancelledBy(isBatch(incoming) ? incoming : [incoming]);
  }

  #used<T>(response: T): T {
    if (this.idle) this.lastUsed = this.serving.now();
    return response;
  }

  get streams(): SessionStreams {
    return this.#link.streams;
  }

  /** Ends the stream of GET, in good order. */
  releaseUnrelated(): void {
    this.#link.releaseUnrelated();
  }

  // ---- as the server sees it ----

  get acceptsBatches(): boolean {
    return this.#link.acceptsBatches;
  }

  set acceptsBatches(legal: boolean) {
    this.#link.acceptsBatches = legal;
  }

  get canSendRequest(): boolean {
    return !this.alone;
  }

  run(onRequest: OnRequest, onNotification: OnNotification): Promise<void> {
    this.#exchange.start(onRequest, onNotification);
    this.#running = true;
    this.#starting?.resolve();
    this.#starting = undefined;
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
}
