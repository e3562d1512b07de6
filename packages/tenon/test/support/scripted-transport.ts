/**
 * A transport whose other end is the test: it pushes what the peer would send and reads what was written.
 *
 * Messages pass through text both ways, as on a wire. Writes are taken at once unless `write` says otherwise.
 */
import type { MaybePromise } from "../../src/base/maybe-promise.ts";
import { ConnectionClosedError } from "../../src/jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../src/jsonrpc/message.ts";
import type { Incoming, Outgoing } from "../../src/jsonrpc/incoming.ts";
import { parseMessage } from "../../src/jsonrpc/parse.ts";
import { stringifyMessage } from "../../src/jsonrpc/serialise.ts";
import { ReceiveQueue } from "../../src/transport/receive-queue.ts";
import type { SendOptions, Transport } from "../../src/transport/transport.ts";

export class ScriptedTransport implements Transport {
  readonly kind = "scripted";
  readonly #queue = new ReceiveQueue();
  /** Everything that was written, as the peer reads it. */
  readonly sent: JsonObject[] = [];
  /** What each of {@link sent} was said to belong to. */
  readonly related: (SendOptions["relatedRequestId"] | undefined)[] = [];
  /** How the writing of a message goes. */
  write: (message: Outgoing) => MaybePromise<void> = () => undefined;
  /** How closing goes, after the queue has ended. */
  closing: () => Promise<void> = () => Promise.resolve();

  send(message: Outgoing, options?: SendOptions): MaybePromise<void> {
    if (this.#queue.ended) throw new ConnectionClosedError();
    const text = stringifyMessage(message);
    this.sent.push(JSON.parse(text) as JsonObject); // a batch is an array; tests that expect one say so
    this.related.push(options?.relatedRequestId);
    return this.write(message);
  }

  receive(): MaybePromise<Incoming> {
    return this.#queue.receive();
  }

  close(): Promise<void> {
    this.end();
    return this.closing();
  }

  /** The peer sends a value, or a text that may be no message at all. */
  push(message: object | string): void {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.#queue.push(parseMessage(text), text.length);
  }

  /** The peer closes its side. */
  end(): void {
    this.#queue.end(new ConnectionClosedError());
  }

  /** What was written since the last time it was taken. */
  take(): JsonObject[] {
    this.related.length = 0;
    return this.sent.splice(0);
  }
}
