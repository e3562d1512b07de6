/**
 * The dispatcher over a transport for whoever calls as well as answers: all of it is there at once.
 *
 * Used by both ends of every stream of messages but a server's stdio; a stateless HTTP request needs no dispatcher.
 */
import type { Transport } from "../transport/transport.ts";
import { AnsweringDispatcher, type JsonRpcDispatcherOptions } from "./answering-dispatcher.ts";
import { createExtras } from "./exchange-extras.ts";

export type { JsonRpcDispatcherOptions } from "./answering-dispatcher.ts";

// Extended and not composed: it is the same dispatcher, and differs in when a part of it is loaded.
export class JsonRpcDispatcher extends AnsweringDispatcher {
  /** @throws McpUsageError for a transport that has a dispatcher; RangeError for a limit that is none */
  constructor(transport: Transport, options: JsonRpcDispatcherOptions = {}) {
    super(transport, options, createExtras);
  }
}
