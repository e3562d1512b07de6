/**
 * What carries messages: the only thing a new kind of connection has to implement.
 *
 * A transport is already open when it is handed over. It knows nothing of ids, of pending calls or of MCP; it turns
 * messages into bytes and back, and says when the connection is gone by rejecting `receive()`.
 */
import type { RunInContext } from "../base/async-context.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import type { ClientMessageMetadata, MessageMetadata } from "./session-message.ts";
import type { TransportContext } from "./transport-context.ts";

/** What a transport is told beside a message; never on the wire. Transports ignore what they cannot use. */
export interface SendOptions {
  /** The inbound request this message belongs to (`0` and `""` are ids too), for transports with one stream a request. */
  readonly relatedRequestId?: RequestId;
  /** What the caller of a request told the transport beside it. */
  readonly metadata?: ClientMessageMetadata;
}

/**
 * A connection that is open: carries messages both ways, in order. One dispatcher owns it, reads it and closes it. A transport of
 * your own implements `kind`, `send`, `receive` and `close`.
 */
export interface Transport {
  /** What the operator sees in errors and logs: `"stdio"`, `"memory"`, `"http"`. */
  readonly kind: string;

  /**
   * Writes one message. Resolves when the bytes were accepted by what is below (back-pressure); `undefined` when
   * that is already so. Rejects with `ConnectionClosedError` when the connection is gone, also while it waits.
   */
  send(message: Outgoing, options?: SendOptions): MaybePromise<void>;

  /**
   * The next arrival, in order; not a promise when one is waiting already. One reader only.
   * Rejects with `ConnectionClosedError` once the connection has ended and everything before it was delivered.
   */
  receive(): MaybePromise<Incoming>;
  /**
   * Hands over every arrival as it comes, in the place of `receive()`, for transports that can spare a promise for each. Waits
   * for what `take` returns; rejects as `receive()` does, and with what `take` throws.
   */
  receiveAll?(take: (incoming: Incoming) => MaybePromise<void>): Promise<never>;
  /** What came beside the arrival received last, for whoever holds the transport. */
  readonly lastMetadata?: MessageMetadata | undefined;
  /** Who sent the arrival received last, where that differs from one to the next. */
  readonly lastSender?: TransportContext | undefined;
  /** The context the arrival received last was sent from: its handler runs in it. Absent on transports that carry none. */
  readonly lastContext?: RunInContext | undefined;

  /** Ends the connection and frees what it holds. Idempotent, bounded in time, never rejects. */
  close(reason?: unknown): Promise<void>;
}
