/**
 * What carries messages: the only thing a new kind of connection has to implement.
 *
 * A transport is already open when it is handed over. It knows nothing of ids, of pending calls or of MCP; it turns
 * messages into bytes and back, and says when the connection is gone by rejecting `receive()`.
 */
import type { JSONRPCMessage, RequestId } from "../jsonrpc/message.ts";
import type { McpError } from "../jsonrpc/mcp-error.ts";

/** A value now, or a promise of it. Hot paths stay synchronous where they can. */
export type MaybePromise<T> = T | Promise<T>;

/** Something arrived that is not a JSON-RPC message. It is answered or reported; the connection goes on. */
export class MalformedMessage {
  /** What is wrong, ready to be sent: -32700 or -32600. */
  readonly error: McpError;
  /** The id of the request it was meant to be, where it could be read. */
  readonly id: RequestId | null;
  /** True where the bytes look like a response, which must never be answered. */
  readonly isResponse: boolean;

  constructor(error: McpError, id: RequestId | null = null, isResponse = false) {
    this.error = error;
    this.id = id;
    this.isResponse = isResponse;
  }
}

/** One arrival: a message, a batch (2025-03-26 only; the dispatcher decides whether it is legal), or a malformed one. */
export type Incoming = JSONRPCMessage | MalformedMessage | readonly (JSONRPCMessage | MalformedMessage)[];

/** One departure. A batch leaves only as the answer to a batch. */
export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];

export interface SendOptions {
  /** The inbound request this message belongs to, for transports with one stream a request. */
  readonly relatedRequestId?: RequestId;
}

export interface Transport {
  /** What the operator sees in errors and logs: `"stdio"`, `"memory"`, `"http"`. */
  readonly kind: string;

  /**
   * Writes one message. Resolves when the bytes were accepted by what is below (back-pressure); `undefined` when
   * that is already so. Rejects with `ConnectionClosedError` when the connection is gone.
   */
  send(message: Outgoing, options?: SendOptions): MaybePromise<void>;

  /**
   * The next arrival, in order; not a promise when one is waiting already. One reader only.
   * Rejects with `ConnectionClosedError` once the connection has ended and everything before it was delivered.
   */
  receive(): MaybePromise<Incoming>;

  /** Ends the connection and frees what it holds. Idempotent, bounded in time, never rejects. */
  close(reason?: unknown): Promise<void>;
}
