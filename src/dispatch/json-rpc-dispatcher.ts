/**
 * The dispatcher over a transport for whoever calls as well as answers: all of it is there at once.
 *
 * Used by both ends of every stream of messages but a server's stdio; a stateless HTTP request needs no dispatcher.
 */
import type { Transport } from "../transport/transport.ts";
import { AnsweringDispatcher, type JsonRpcDispatcherOptions } from "./answering-dispatcher.ts";
import { createExtras } from "./exchange-extras.ts";
import { receiveAllOf } from "./receive-all.ts";

export type { JsonRpcDispatcherOptions } from "./answering-dispatcher.ts";

// Extended and not composed: it is the same dispatcher, and differs in when a part of it is loaded.
/** Asks and answers over a {@link Transport}: one end of a connection (DI-01, DI-06). It owns the transport and closes it. */
export class JsonRpcDispatcher extends AnsweringDispatcher {
  /**
   * Does not read yet: {@link run} does. @throws McpUsageError for a transport that has a dispatcher; RangeError for a limit
   * that is none
   */
  constructor(transport: Transport, options: JsonRpcDispatcherOptions = {}) {
    super(transport, options, createExtras, receiveAllOf(transport));
  }
}
