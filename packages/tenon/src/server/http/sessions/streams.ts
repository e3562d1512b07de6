/**
 * What a session needs of its streams. In one process `session-streams.ts` has them; nodes of a fleet share them through an event store.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Incoming } from "../../../jsonrpc/incoming.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import type { Serving } from "../serving.ts";

/** The requests of a POST that becomes a stream. */
export interface StreamedRequests {
  /** Their ids. The stream carries their responses. */
  readonly ids: readonly RequestId[];
  /** The body of the POST. */
  readonly incoming: Incoming;
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

/** The streams of one session. */
export interface Streams {
  /** The address that the session was opened from. */
  readonly address: string | undefined;
  /** Opens the stream of one POST. */
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
