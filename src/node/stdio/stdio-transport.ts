/**
 * A connection over two byte streams, one message a line: the server's side of stdio, or any pair of streams.
 *
 * It never closes the streams, which are its owner's (a process keeps its standard handles). The client's side, which
 * owns a child process, is `processes/server-process.ts`.
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
  /** Bytes of one line that arrives. Default 10 MiB. A longer one ends the connection. */
  maxLineBytes: number;
  /**
   * Bytes of one message that is sent. Default 10 000 000, because peers end the connection at a line that is too long (Tenon's clients at
   * 10 MiB). A larger result is -32603 for that call, a larger request to the peer fails, a larger notification is dropped and reported.
   */
  maxMessageBytes: number;
  /**
   * Bytes that may wait while the peer does not read. Default 4 MiB; then nothing more is read from the peer, progress and log messages
   * are dropped, oldest first, and requests to the peer fail with a `LimitExceededError`. Results of calls that run already are queued
   * all the same.
   */
  maxQueuedBytes: number;
  /**
   * Bytes that may wait in all while the peer does not read, with the results of calls that run already. Default 64 MiB. A result that
   * exceeds it is -32603 for its call, a notification is dropped and reported.
   */
  maxUnreadBytes: number;
}

/** Options of a {@link StdioTransport}. */
export interface StdioTransportOptions {
  /** Where messages come from. Default `process.stdin`. */
  input?: Readable | undefined;
  /** Where messages go. Default `process.stdout`. */
  output?: Writable | undefined;
  /** Limits of lines, messages and queues. Default: see each limit. */
  limits?: Partial<StdioLimits>;
  /** Milliseconds that what was sent has to leave, counted from the end of the input, `ending()` or else `close`. Default 500. */
  flushTimeout?: number;
  /** Told of messages that were dropped. Default: nobody. */
  onError?: (error: Error) => void;
}

/** Below the 10 MiB of a line that clients read. */
export const DEFAULT_MAX_MESSAGE_BYTES = 10_000_000;
/** What `close` waits at least: a write takes no longer unless the peer does not read. */
const MIN_FLUSH_MS = 100;

/** Messages over two byte streams, one a line: stdio, or any pair of streams (ST-60). It never closes the streams. */
export class StdioTransport implements Transport {
  readonly kind = "stdio";
  readonly #reader: LineReader;
  readonly #writer: LineWriter;
  readonly #flushTimeout: number;
  #inputEnded: number | undefined;
  /** Lets the reader go on. */
  #goOn: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** Begins to read at once. Serving stdin and stdout with all that belongs to it is `serveStdio`'s business. */
  constructor(options: StdioTransportOptions = {}) {
    const { input = process.stdin, output = process.stdout, limits = {}, flushTimeout = 500, onError } = options;
    const { maxLineBytes, maxQueuedBytes, maxUnreadBytes, maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES } = limits;
    this.#flushTimeout = flushTimeout;
    this.#reader = new LineReader(input, {
      maxLineBytes,
      onEnd: (cause) => {
        this.ending();
        this.#reader.end(toClosedReason("the input ended", cause));
      },
    });
    this.#writer = new LineWriter(output, {
      maxQueuedBytes,
      maxUnreadBytes,
      maxMessageBytes,
      onClosed: (cause) => this.#reader.drain(toClosedReason("the output is closed", cause)),
      onDropped: onError,
    });
  }

  send(message: Outgoing): MaybePromise<void> {
    return this.#writer.send(message);
  }

  receive(): MaybePromise<Incoming> {
    return this.#reader.receive();
  }

  /** What is sent meanwhile leaves with the last message that came together: not one of them waits for a turn of its own. */
  receiveAll(take: (incoming: Incoming) => MaybePromise<void>): Promise<never> {
    const corked = (incoming: Incoming): MaybePromise<void> => {
      this.#writer.cork();
      return take(incoming) ?? this.#roomToWrite();
    };
    return this.#reader.receiveAll(corked, () => this.#writer.uncork());
  }

  /** A peer that does not read is not read either. What it sent before the end of its input is handled all the same. */
  #roomToWrite(): Promise<void> | undefined {
    const written = this.#inputEnded === undefined ? this.#writer.whenRoom() : undefined;
    if (written === undefined) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
      written.then(resolve, resolve);
    });
  }

  /** This side is about to close: `flushTimeout` counts from now. */
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
