/** What a session needs of its streams. `session-streams.ts` has them; a session that lasts for one POST has its own, which are here. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Serving } from "../serving.ts";
import { sessionNotFound } from "../refusals.ts";

/** The requests of a POST that becomes a stream. */
export interface StreamedRequests {
  /** Their ids. The stream carries their responses. */
  readonly ids: readonly RequestId[];
  /** The body of the POST. */
  readonly incoming: Incoming;
}

/** A GET with which a client resumes a stream. */
export interface Resumption {
  readonly request: HttpRequest;
  readonly body: EventStream;
  /** The number of the last event that the client has, or was sent here. */
  readonly at: number;
}

/** What streams take from their session. */
export interface StreamsOwner {
  readonly serving: Serving;
  /** The client whose share of a limit they use. */
  readonly share: string | undefined;
  readonly address: string | undefined;
  /** Milliseconds after which the client may resume a stream; undefined if the revision cannot. */
  readonly retry: number | undefined;
  /** The session as the server sees it. */
  readonly dispatcher: Dispatcher;
  /** Whether the client has come back after the handshake. */
  confirmed: boolean;
  /** Opens a response that keeps the session open until it ends. */
  openBody(): EventStream;
}

export interface Streams {
  /** The address that the session was opened from. */
  readonly address: string | undefined;
  openPost(requests: StreamedRequests): OpenedStream;
  /** Sends a message that belongs to no request. It is kept until the client opens the GET stream. */
  sendUnrelated(data: string): MaybePromise<void>;
  /** Handles a GET: opens the stream for messages that belong to no request, or resumes a stream. */
  get(request: HttpRequest): MaybePromise<HttpResponse>;
  /** Ends the response to GET in order. The client may resume it. */
  releaseUnrelated(): void;
  /** Ends all streams. */
  end(): void;
}

/** A stream for a GET, or why there is none. */
export type Opened = EventStream | "unknown" | "evicted" | "ended" | "failed";

/** The stream for messages that belong to no request, which the client opens with GET. */
export interface StandingStream {
  /** Sends a message. It is kept until the client opens the stream. */
  send(data: string): MaybePromise<void>;
  /** Opens it for a GET. Undefined if the event id is one of another stream. @throws StoreUnavailableError */
  open(request: HttpRequest, lastEventId: string | undefined): MaybePromise<Opened | undefined>;
  /** Ends the response to GET in order. The client may resume it. */
  release(): void;
  /** This process serves the session no longer. */
  close(): void;
  /** Lets the log keep it for longer. @throws StoreUnavailableError */
  renew(): MaybePromise<void>;
}

/** The streams of a session that lasts for one POST: nothing is kept, and there is no GET. */
export class SinglePostStreams implements Streams {
  readonly #owner: StreamsOwner;

  constructor(owner: StreamsOwner) {
    this.#owner = owner;
  }

  get address(): string | undefined {
    return this.#owner.address;
  }

  openPost(): OpenedStream {
    const body = this.#owner.openBody();
    return { messages: body, body };
  }

  sendUnrelated(): undefined {
    return undefined;
  }

  get(): MaybePromise<HttpResponse> {
    return sessionNotFound();
  }

  releaseUnrelated(): void {}

  end(): void {}
}
