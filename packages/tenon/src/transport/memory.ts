/**
 * Two transports joined inside one process, carrying JSON text.
 *
 * A message is serialised and parsed within limits as on a real wire, but without a wire: for tests, and for embedding if a
 * `Transport` is needed. `connect(server)` uses the faster direct dispatcher.
 */
import { assertKnown } from "../base/known-options.ts";
import { ConnectionClosedError, LimitExceededError } from "../jsonrpc/mcp-error.ts";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { parseMessage } from "../jsonrpc/parse.ts";
import { stringifyMessage } from "../jsonrpc/serialise.ts";
import { ReceiveQueue } from "./receive-queue.ts";
import type { Transport } from "./transport.ts";

/** Options of {@link createMemoryPair}. */
export interface MemoryPairOptions {
  /** Limits of both ends. */
  limits?: {
    /**
     * Characters of messages that one end may have sent and the other has not received. Default 64 Mi; then a request or a notification
     * fails with `LimitExceededError`. Responses are always sent: each belongs to a request of the end that does not receive.
     */
    maxWaiting?: number;
  };
}

export const MAX_WAITING: number = 64 * 1024 * 1024;

class MemoryTransport implements Transport {
  readonly kind = "memory";
  readonly queue: ReceiveQueue = new ReceiveQueue();
  readonly #maxWaiting: number;
  peer!: MemoryTransport;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  send(message: Outgoing): void {
    if (this.queue.ended) throw new ConnectionClosedError();
    const text = stringifyMessage(message);
    const { queue } = this.peer;
    if ("method" in message && !queue.hasRoom(text.length, this.#maxWaiting))
      throw new LimitExceededError("limits.maxWaiting", this.#maxWaiting, queue.characters + text.length);
    queue.push(parseMessage(text), text.length);
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
 * @throws TypeError for an unknown option; RangeError if a limit is below 1 or not a number
 */
export function createMemoryPair(options: MemoryPairOptions = {}): [Transport, Transport] {
  assertKnown("createMemoryPair()", options, { limits: { maxWaiting: 1 } });
  const max = options.limits?.maxWaiting ?? MAX_WAITING;
  if (!(max >= 1)) throw new RangeError(`Option "limits.maxWaiting" must be at least 1, not ${max}`);
  const a = new MemoryTransport(max);
  const b = new MemoryTransport(max);
  a.peer = b;
  b.peer = a;
  return [a, b];
}
