/**
 * Moves messages: the only interface that a new kind of connection has to implement.
 *
 * A transport is already open when a dispatcher takes it. It knows nothing of ids, of pending calls or of MCP; it turns messages
 * into bytes and back, and reports the end of the connection by rejecting `receive()`.
 */
import type { RunInContext } from "../base/async-context.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata, MessageMetadata } from "./session-message.ts";
import type { TransportContext } from "./transport-context.ts";

/** Data for a transport beside a message; never on the wire. Transports ignore what they cannot use. */
export interface SendOptions {
  /** The inbound request that this message belongs to (`0` and `""` are ids too), for transports with one stream per request. */
  readonly relatedRequestId?: RequestId;
  /** What the caller of a request passed to the transport. */
  readonly metadata?: ClientMessageMetadata;
}

/**
 * An open connection that carries messages in both directions, in order. One dispatcher owns it, reads it and closes it. To write a
 * transport, implement `kind`, `send`, `receive` and `close`.
 */
export interface Transport {
  /** Its name in errors and logs: `"stdio"`, `"memory"`, `"http"`. */
  readonly kind: string;
  /**
   * Whether `send` takes results as values, because what is below serialises messages by itself. Default: results are texts (`JsonText`), which
   * are made once and before anything is sent, so that a result that has no JSON form becomes an error.
   */
  readonly takesValues?: boolean;

  /**
   * Writes one message. Resolves when the layer below has accepted the bytes (back-pressure); `undefined` if it already has.
   * Rejects with `ConnectionClosedError` if the connection is closed, also while it waits.
   */
  send(message: Outgoing, options?: SendOptions): MaybePromise<void>;

  /**
   * The next message, in order; not a promise if one is waiting already. One reader only. Rejects with `ConnectionClosedError` once
   * the connection has ended and everything before it was delivered.
   */
  receive(): MaybePromise<Incoming>;
  /**
   * Delivers every message to `take`, in place of `receive()`, for transports that can so avoid a promise for each. Waits for what
   * `take` returns; rejects as `receive()` does, and with what `take` throws.
   */
  receiveAll?(take: (incoming: Incoming) => MaybePromise<void>): Promise<never>;
  /** Metadata of the last received message, for the owner of the transport. */
  readonly lastMetadata?: MessageMetadata | undefined;
  /** The sender of the last received message, if it can differ from one to the next. */
  readonly lastSender?: TransportContext | undefined;
  /** The context that the last received message was sent from: its handler runs in it. Absent on transports that carry none. */
  readonly lastContext?: RunInContext | undefined;

  /**
   * Writes now what waits to be written with later messages. For transports to other programs, which may read several messages
   * at once: there the response to a request whose progress was sent follows a moment later.
   */
  writeNow?(): void;

  /**
   * What arrived in the last `ms` milliseconds and could not be read as a message, in words that follow a semicolon; undefined if
   * there was nothing. It stands in the error of a call that got no response in time.
   */
  unread?(ms: number): string | undefined;

  /** Ends the connection and frees its resources. Idempotent, bounded in time, never rejects. */
  close(reason?: unknown): Promise<void>;
}
