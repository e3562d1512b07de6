/**
 * A connection over two byte streams, one message a line: the server's side of stdio, or any pair of streams.
 *
 * It never closes the streams, because their owner does. The client's side, which owns a child process, is
 * `node/processes/child-server.ts`.
 */
import type { Readable, Writable } from "node:stream";
import type { Incoming, Outgoing } from "../../jsonrpc/incoming.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import type { Transport } from "../../transport/transport.ts";
import { LineReader } from "./line-reader.ts";
import { LineWriter } from "./line-writer.ts";
import { toClosedReason } from "./closed-reason.ts";

/** Limits of a connection over two byte streams. */
export interface StdioLimits {
  /** Most bytes of one line that is read. Default 10 MiB. A longer one ends the connection. */
  maxLineBytes: number;
  /**
   * Most bytes of one message that is sent. Default 10 000 000, because peers end the connection at a line that is too long
   * (Tenon's clients at 10 MiB). A larger result is -32603 for that call, a larger request to the peer fails, a larger
   * notification is dropped and reported.
   */
  maxMessageBytes: number;
  /**
   * Most bytes that wait while the peer does not read. Default 4 MiB. Beyond it nothing more is read from the peer, progress and
   * log messages are dropped, oldest first, and requests to the peer fail with a `LimitExceededError`. Results of running calls
   * are still queued.
   */
  maxQueuedBytes: number;
  /**
   * Most bytes that wait in all while the peer does not read, including the results of running calls. Default 64 MiB. A result that
   * exceeds it is -32603 for its call, a notification is dropped and reported.
   */
  maxUnreadBytes: number;
}

/** Options of a {@link StdioTransport}. */
export interface StdioTransportOptions {
  /** The stream to read from. Default `process.stdin`. */
  input?: Readable | undefined;
  /** The stream to write to. Default `process.stdout`. */
  output?: Writable | undefined;
  /** Limits of lines, messages and queues. Default: see each limit. */
  limits?: Partial<StdioLimits>;
  /** Milliseconds to write waiting messages at the end, counted from the end of the input, `ending()` or `close`. Default 500. */
  flushTimeout?: number;
  /** Called when messages were dropped. Default: not reported. */
  onError?: (error: Error) => void;
}

/** Below the 10 MiB that clients accept for a line. */
export const DEFAULT_MAX_MESSAGE_BYTES = 10_000_000;
/** Milliseconds that `close` waits at least. A write takes longer only if the peer does not read. */
const MIN_FLUSH_MS = 100;

/** A transport over two byte streams, one message a line: stdio, or any pair of streams. It never closes the streams. */
export class StdioTransport implements Transport {
  readonly kind = "stdio";
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #flushTimeout: number;
  #inputEnded: number | undefined;
  /** Lets the reader go on. */
  #goOn: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Begins to read at once. Use `serveStdio` to serve a process's stdin and stdout. */
  constructor(options: StdioTransportOptions = {}) {
    const { input = process.stdin, output = process.stdout, limits = {}, flushTimeout = 500, onError } = options;
    this.#flushTimeout = flushTimeout;
    this.#reader = new LineReader(input, {
      maxLineBytes: limits.maxLineBytes,
      onEnd: (cause) => {
        this.ending();
        this.#reader.end(toClosedReason("the input ended", cause));
      },
    });
    this.#writer = new LineWriter(output, {
      ...limits,
      maxMessageBytes: limits.maxMessageBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
      onClosed: (cause) => this.#reader.drain(toClosedReason("the output is closed", cause)),
      onDropped: onError,
    });
  }

  send(message: Outgoing): MaybePromise<void> {
    return this.#writer.send(message);
  }

  writeNow(): void {
    this.#writer.writeNow();
  }

  receive(): MaybePromise<Incoming> {
    return this.#reader.receive();
  }

  /** Messages that are sent meanwhile are written together after the last message that arrived together. */
  receiveAll(take: (incoming: Incoming) => MaybePromise<void>): Promise<never> {
    const corked = (incoming: Incoming): MaybePromise<void> => {
      this.#writer.cork();
      return take(incoming) ?? this.#roomToWrite();
    };
    return this.#reader.receiveAll(corked, () => this.#writer.uncork());
  }

  /** Stops reading while the peer does not read. After the end of the input, the remaining messages are handled nevertheless. */
  #roomToWrite(): Promise<void> | undefined {
    const written = this.#inputEnded === undefined ? this.#writer.whenRoom() : undefined;
    if (written === undefined) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
      written.then(resolve, resolve);
    });
  }

  /** Starts `flushTimeout`, because this side is about to close. */
  ending(): void {
    this.#inputEnded ??= performance.now();
    this.#goOn?.();
  }

  close(reason?: unknown): Promise<void> {
    return (this.#closing ??= this.#close(toClosedReason("closed by this side", reason)));
  }

  async #close(reason: ConnectionClosedError): Promise<void> {
    this.#reader.drain(reason);
    this.#reader.release();
    const elapsed = this.#inputEnded === undefined ? 0 : performance.now() - this.#inputEnded;
    await this.#writer.flush(Math.max(MIN_FLUSH_MS, this.#flushTimeout - elapsed));
    this.#writer.end(reason);
    this.#writer.release();
  }
}
