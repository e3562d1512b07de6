/**
 * Messages as they travel through a pair of streams, for programs that already have streams.
 *
 * `StreamTransport` turns such a pair into a `Transport`; nothing else in Tenon works on streams. Metadata stays beside the message
 * and never reaches the wire.
 */
import type { RunInContext } from "../base/async-context.ts";
import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";

/** Data from a client to its transport beside a request. Transports ignore what they cannot use. */
export interface ClientMessageMetadata {
  /** Distinguishes it from a server's metadata. */
  readonly kind: "client";
  /** Where an interrupted response continues: the last token that the transport named. The request is not sent again. */
  readonly resumptionToken?: string;
  /** Called with each token, newest last, so that another connection can resume the request. */
  readonly onResumptionToken?: (token: string) => MaybePromise<void>;
  /** Headers for the HTTP request that carries this message. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Data between a server and its transport beside a message. Only `relatedRequestId` has an effect on outbound messages. */
export interface ServerMessageMetadata {
  /** Distinguishes it from a client's metadata. */
  readonly kind: "server";
  /** The inbound request that this message belongs to. `0` and `""` are valid ids. */
  readonly relatedRequestId?: RequestId;
  /** What the message arrived in, such as the HTTP request. Passed on unchanged. */
  readonly request?: unknown;
  /** Whether a request can be sent back on the channel of this message. */
  readonly canSendRequest?: boolean;
  /** Ends the stream that would carry the response, so that the client reconnects for it. Passed on unchanged. */
  readonly closeSseStream?: () => MaybePromise<void>;
  /** Ends the stream that belongs to no request. Passed on unchanged. */
  readonly closeStandaloneSseStream?: () => MaybePromise<void>;
  /** Called if a request will get no response. Passed on unchanged. */
  readonly onRequestUnanswered?: () => MaybePromise<void>;
}

/** Metadata of a message, of its sender or its receiver. `kind` distinguishes them. */
export type MessageMetadata = ClientMessageMetadata | ServerMessageMetadata;

/** A message and its metadata. */
export interface SessionMessage {
  /** The message on the wire. */
  message: JSONRPCMessage;
  /** Metadata that never crosses the wire. */
  metadata?: MessageMetadata;
}

/**
 * The reading half. A message that could not be read arrives as an `Error` in its place, and reading continues; the end of the
 * iteration is the end of the connection. One reader only. Disposing of it ends the iteration, and is idempotent.
 */
export interface MessageReader extends AsyncIterable<SessionMessage | Error>, AsyncDisposable {
  /** The context that the last item was sent from; absent if the stream carries none. */
  readonly lastContext?: RunInContext | undefined;
}

/**
 * The writing half. `send` resolves when the item was accepted, so that a slow reader delays a writer; it may be called again
 * before that. After the end it rejects.
 */
export interface MessageWriter extends AsyncDisposable {
  /** Writes one message. @throws ConnectionClosedError after the end */
  send(item: SessionMessage): Promise<void>;
}

/** The two streams of a stream transport. The code that takes them disposes of both. */
export interface TransportStreams {
  /** Messages from the peer. */
  readonly read: MessageReader;
  /** Messages to the peer. */
  readonly write: MessageWriter;
}
