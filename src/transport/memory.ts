/**
 * Two transports joined inside one process, carrying JSON text.
 *
 * A message is serialised and parsed within limits as on a real wire, but without a wire: for tests, and for embedding if a
 * `Transport` is needed. `connect(server)` uses the faster direct dispatcher.
 */
import { ConnectionClosedError } from "../jsonrpc/mcp-error.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { parseMessage } from "../jsonrpc/parse.ts";
import { stringifyMessage } from "../jsonrpc/serialise.ts";
import { ReceiveQueue } from "./receive-queue.ts";
import type { Transport } from "./transport.ts";

class MemoryTransport implements Transport {
  readonly kind = "memory";
  readonly queue: ReceiveQueue = new ReceiveQueue();
  peer!: MemoryTransport;

  send(message: Outgoing): void {
    if (this.queue.ended) throw new ConnectionClosedError();
    const text = stringifyMessage(message);
    this.peer.queue.push(parseMessage(text));
  }

  receive(): MaybePromise<Incoming> {
    return this.queue.receive();
  }

  close(): Promise<void> {
    this.queue.end(new ConnectionClosedError());
    this.peer.queue.end(new ConnectionClosedError());
    return Promise.resolve();
  }
}

/**
 * The two ends of one in-memory connection. Closing either ends both; messages that were sent before are still delivered. Use
 * `connect(server)`; this is for tests of a transport, and for code that needs the JSON text.
 */
export function createMemoryPair(): [Transport, Transport] {
  const a = new MemoryTransport();
  const b = new MemoryTransport();
  a.peer = b;
  b.peer = a;
  return [a, b];
}
