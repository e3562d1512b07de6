/**
 * What a transport receives and sends: messages, batches, and malformed messages.
 *
 * Every transport uses these three types. The dispatcher, not the parser, decides whether a batch is allowed.
 */
import type { McpError } from "./mcp-error.ts";
import type { JSONRPCMessage, RequestId } from "./message.ts";

/** Something arrived that is not a JSON-RPC message. The dispatcher responds with an error or reports it; the connection stays open. */
export class MalformedMessage {
  /** What is wrong, ready to send: -32700 or -32600. It never quotes what arrived. */
  readonly error: McpError;
  /** The id of the request that it was meant to be, if it could be read. */
  readonly id: RequestId | null;
  /** True if the text looks like a response: a response must never get a response. */
  readonly isResponse: boolean;

  /** For transports that parse messages themselves. `id` is null if it could not be read, or if there is none. */
  constructor(error: McpError, id: RequestId | null = null, isResponse = false) {
    this.error = error;
    this.id = id;
    this.isResponse = isResponse;
  }
}

/** What one read yields: a message, a batch (2025-03-26 only; the dispatcher decides whether it is allowed), or a malformed message. */
export type Incoming = JSONRPCMessage | MalformedMessage | readonly (JSONRPCMessage | MalformedMessage)[];

/** What one write takes. A batch is sent only as the response to a batch. */
export type Outgoing = JSONRPCMessage | readonly JSONRPCMessage[];
