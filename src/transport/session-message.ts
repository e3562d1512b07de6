/**
 * Messages as they flow through a pair of streams: the shape in which whoever already has streams hands them over.
 *
 * `StreamTransport` turns such a pair into a `Transport`; nothing else of Tenon works on streams. Metadata stays beside
 * the message and never reaches the wire (checklist SM-01…SM-08).
 */
import type { RunInContext } from "../base/async-context.ts";
import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";

/** What a client tells its transport beside a request (SM-02). Transports ignore what they cannot use. */
export interface ClientMessageMetadata {
  /** Tells it from a server's. */
  readonly kind: "client";
  /** Where an answer that broke off goes on: the last token the transport named. The request is not sent again. */
  readonly resumptionToken?: string;
  /** Told of each token, newest last, so that the request can be taken up again by another connection. */
  readonly onResumptionToken?: (token: string) => MaybePromise<void>;
  /** Headers for the HTTP request that carries this message. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a server and its transport tell each other beside a message (SM-03). Only `relatedRequestId` counts on the way out. */
export interface ServerMessageMetadata {
  /** Tells it from a client's. */
  readonly kind: "server";
  /** The inbound request this message belongs to. `0` and `""` are ids like any other (CF-20). */
  readonly relatedRequestId?: RequestId;
  /** What the message came in with, such as the HTTP request. Handed through as it is. */
  readonly request?: unknown;
  /** Whether a request can be sent back on the channel of this message. */
  readonly canSendRequest?: boolean;
  /** Ends the stream that the answer would come on, so that the client comes back for it. Handed through as it is. */
  readonly closeSseStream?: () => MaybePromise<void>;
  /** Ends the stream that belongs to no request. Handed through as it is. */
  readonly closeStandaloneSseStream?: () => MaybePromise<void>;
  /** Told that a request will get no answer. Handed through as it is. */
  readonly onRequestUnanswered?: () => MaybePromise<void>;
}

/** What is known beside a message, by whoever sends it or has received it (SM-04). Told apart by `kind`. */
export type MessageMetadata = ClientMessageMetadata | ServerMessageMetadata;

/** A message and what is known beside it (SM-01). */
export interface SessionMessage {
  /** What crosses the wire. */
  message: JSONRPCMessage;
  /** What is known beside it, and never crosses the wire. */
  metadata?: MessageMetadata;
}

/**
 * The reading half. What could not be read as a message comes as an `Error` in its place, and reading goes on; the end of
 * the iteration is the end of the connection. One reader. Disposing of it ends the iteration, and may be done twice (SM-05).
 */
export interface MessageReader extends AsyncIterable<SessionMessage | Error>, AsyncDisposable {
  /** The context the item read last was sent from; absent where the stream carries none. */
  readonly lastContext?: RunInContext | undefined;
}

/**
 * The writing half. `send` resolves when the item was taken, which is how a slow reader holds a writer up; it may be called
 * again before that. After the end it rejects (SM-06).
 */
export interface MessageWriter extends AsyncDisposable {
  /** Writes one message. @throws ConnectionClosedError after the end */
  send(item: SessionMessage): Promise<void>;
}

/** What an opened stream transport is: exactly these two (SM-07). Whoever takes them over disposes of both. */
export interface TransportStreams {
  /** What the other side sends is read from here. */
  readonly read: MessageReader;
  /** What this side sends is written here. */
  readonly write: MessageWriter;
}
