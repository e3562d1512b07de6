/**
 * What a reader hands over and a writer takes: messages, batches, and what was meant to be a message.
 *
 * Every transport speaks in these three types. Whether a batch is legal is the dispatcher's decision, not the parser's.
 */
import type { McpError } from "./mcp-error.ts";
import type { JSONRPCMessage, RequestId } from "./message.ts";

/** Something arrived that is not a JSON-RPC message. It is answered or reported; the connection goes on. */
export class MalformedMessage {
  /** What is wrong, ready to be sent: -32700 or -32600. Never quotes what arrived. */
  readonly error: McpError;
  /** The id of the request it was meant to be, where it could be read. */
  readonly id: RequestId | null;
  /** True where the bytes look like a response, which must never be answered. */
  readonly isResponse: boolean;

  /** For transports that parse messages themselves. `id` null: it could not be read, or there is none. */
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
