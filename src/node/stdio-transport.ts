/**
 * A connection over two byte streams, one message a line: the server's side of stdio, or any pair of streams.
 *
 * It never closes the streams, which are its owner's (a process keeps its standard handles). The client's side, which
 * owns a child process, is `server-process.ts`.
 */
import type { Readable, Writable } from "node:stream";
import type { Incoming, Outgoing } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../jsonrpc/maybe-promise.ts";
import { ConnectionClosedError, McpError } from "../jsonrpc/mcp-error.ts";
import type { Transport } from "../transport/transport.ts";
import { LineReader } from "./line-reader.ts";
import { LineWriter } from "./line-writer.ts";
import { closedBecause } from "./closed-because.ts";

export interface StdioTransportOptions {
  /** Where messages come from. Default `process.stdin`. */
  input?: Readable;
  /** Where messages go. Default `process.stdout`. */
  output?: Writable;
  /** Bytes of one line that arrives. Default 10 MiB. A longer one ends the connection. */
  maxLineBytes?: number;
  /** Bytes that may wait while the peer does not read. Default 4 MiB; then progress and log messages are dropped. */
  maxQueuedBytes?: number;
  /** Milliseconds `close` waits for what was sent to leave. Default 400. */
  flushTimeout?: number;
  /** Told of messages that were dropped. */
  onError?: (error: Error) => void;
}

export class StdioTransport implements Transport {
  readonly kind = "stdio";
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #flushTimeout: number;
  #closing: Promise<void> | undefined;

  constructor(options: StdioTransportOptions = {}) {
    const { input = process.stdin, output = process.stdout, maxLineBytes, maxQueuedBytes, flushTimeout = 400, onError } = options;
    this.#flushTimeout = flushTimeout;
    this.#reader = new LineReader(input, {
      maxLineBytes,
      onEnd: (cause) => this.#reader.end(closedBecause("the input ended", cause)),
    });
    this.#writer = new LineWriter(output, {
      maxQueuedBytes,
      onClosed: (cause) => this.#reader.drain(closedBecause("the output is closed", cause)),
      onDropped: (count, max) => onError?.(droppedError(count, max)),
    });
  }

  send(message: Outgoing): MaybePromise<void> {
    return this.#writer.send(message);
  }

  receive(): MaybePromise<Incoming> {
    return this.#reader.receive();
  }

  /** Ends the input as if the peer had: what was received may still be answered. */
  endInput(reason: ConnectionClosedError): void {
    this.#reader.drain(reason);
  }

  close(reason?: unknown): Promise<void> {
    return (this.#closing ??= this.#close(closedBecause("closed by this side", reason)));
  }

  async #close(reason: ConnectionClosedError): Promise<void> {
    this.#reader.drain(reason);
    this.#reader.release();
    await this.#writer.flush(this.#flushTimeout);
    this.#writer.end(reason);
    this.#writer.release();
  }
}

/** The report of messages that were given up because the peer reads too slowly (security T3). */
export function droppedError(count: number, max: number): McpError {
  const message = `${count} progress or log messages were dropped: the peer reads too slowly (limit "maxQueuedBytes" of ${max})`;
  return new McpError(-32603, message, { limit: "maxQueuedBytes", max, dropped: count });
}
