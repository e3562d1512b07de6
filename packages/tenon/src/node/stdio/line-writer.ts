/**
 * Writes messages to a stream of bytes: the writing half of stdio, on both sides.
 *
 * The messages of one turn are written in few writes. While the stream is full they wait here, within a limit: progress and
 * log messages may be dropped and requests refused; responses always stay. The owner stops reading while too much waits
 * (`whenRoom`). A message that is too long for one line is not sent (`too-long.ts`).
 */
import { systemClock, finishesWithin } from "../../base/clock.ts";
import type { Writable } from "node:stream";
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isRequest, JsonText, type RequestId } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ConnectionClosedError, ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";
import { bytesOf } from "../text-bytes.ts";
import { shortenMessage, tooLargeResponse, type Exceeded } from "./too-long.ts";
import { WriteQueue, type Piece } from "./write-queue.ts";

export interface LineWriterOptions {
  /** Most bytes that wait while the stream is full. Default 4 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Bytes that may wait in all while the stream is full. Default 64 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Most bytes of one message. Default: no limit. */
  readonly maxMessageBytes?: number | undefined;
  /** Called once, when the stream is no longer writable. */
  readonly onClosed: (cause?: Error) => void;
  /** Called with the number of dropped progress and log messages, once the stream has taken the waiting ones. */
  readonly onDropped?: ((error: Error) => void) | undefined;
}

export const DEFAULT_MAX_QUEUED_BYTES: number = 4 * 1024 * 1024;
export const DEFAULT_MAX_UNREAD_BYTES: number = 64 * 1024 * 1024;
/** Characters of a turn's first write, which does not wait for the end of the turn, so that the peer can begin to read. */
const FIRST_WRITE = 4 * 1024;
/** Characters of the largest write. Each write of a turn is twice the one before, because a system call costs as much as a few messages. */
const FULL_WRITE = 64 * 1024;
/** Characters from which on a shared result is written as its own bytes and not copied into the text. */
const LARGE = 16 * 1024;
/** Bytes of a response that always waits: the next request is read only when fewer bytes wait, so that these are few. */
const SMALL_RESPONSE = 1_024;
const DROPPABLE = new Set(["notifications/progress", "notifications/message"]);

export class LineWriter {
  readonly #stream: Writable;
  /** The stream's own `write`, even if the stdout guard replaces it later. */
  readonly #write: Writable["write"];
  readonly #options: LineWriterOptions;
  readonly #queue: WriteQueue;
  readonly #maxMessageBytes: number;
  readonly #maxUnreadBytes: number;
  /** The text of this turn that is not written yet. */
  #text = "";
  /** Characters at which the text is written before the turn ends. */
  #enough = FIRST_WRITE;
  #scheduled = false;
  /** Set while the stream is full. */
  #full: Promise<void> | undefined;
  #settleFull: { resolve(): void; reject(error: Error): void } | undefined;
  #closed: ConnectionClosedError | undefined;

  constructor(stream: Writable, options: LineWriterOptions) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    this.#options = options;
    this.#queue = new WriteQueue(options.maxQueuedBytes ?? DEFAULT_MAX_QUEUED_BYTES);
    this.#maxMessageBytes = options.maxMessageBytes ?? Infinity;
    this.#maxUnreadBytes = options.maxUnreadBytes ?? DEFAULT_MAX_UNREAD_BYTES;
    stream.on("drain", this.#onDrain).on("error", this.#onClosed).on("close", this.#onClosed);
  }

  /**
   * Writes a message. Returns a promise if the stream is full, which resolves when the stream has taken it.
   * @throws ConnectionClosedError; LimitExceededError `limits.maxQueuedBytes` if there is no room for a request,
   * `limits.maxMessageBytes` or `limits.maxUnreadBytes` if a request or a notification is too large; TypeError
   */
  send(message: Outgoing): MaybePromise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    if ("result" in message && isLarge(message.result)) return this.#sendLarge(message.id, message.result);
    const text = this.#textOf(message);
    if (this.#full !== undefined) return this.#enqueue(message, text, this.#full);
    this.#text += `${text}\n`;
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.uncork);
    }
    if (this.#text.length >= this.#enough) {
      this.#enough = Math.min(this.#enough * 2, FULL_WRITE);
      this.#flush();
    }
  }

  #textOf(message: Outgoing): string {
    const text = stringifyMessage(message);
    const max = this.#maxMessageBytes;
    if (text.length * 3 <= max) return text; // a character has three bytes at most
    const bytes = Buffer.byteLength(text);
    return bytes <= max ? text : shortenMessage(message, { limit: "limits.maxMessageBytes", max, bytes }, max);
  }

  /**
   * Returns a promise if more than `limits.maxQueuedBytes` wait. It resolves when the peer has read them, and rejects when the
   * stream is closed.
   */
  whenRoom(): Promise<void> | undefined {
    if (this.#full === undefined) return undefined;
    return this.#unread > this.#queue.maxBytes ? this.#full : undefined;
  }

  /** Bytes that wait for the peer to read. */
  get #unread(): number {
    return this.#queue.bytes + this.#stream.writableLength;
  }

  /** What `bytes` more would exceed; undefined if they may wait too. */
  #exceeded(bytes: number): Exceeded | undefined {
    const total = this.#unread + bytes;
    return total > this.#maxUnreadBytes ? { limit: "limits.maxUnreadBytes", max: this.#maxUnreadBytes, bytes: total } : undefined;
  }

  /** Holds messages back until `uncork()`. The owner calls that at the end of its turn. */
  cork(): void {
    this.#scheduled = true;
  }

  readonly uncork = (): void => {
    this.#scheduled = false;
    this.#enough = FIRST_WRITE;
    this.#flush();
  };

  /** Writes what waits for the end of the turn, unless the stream is full. */
  writeNow(): void {
    this.#flush();
  }

  /** Waits until everything has left the process. Returns false if that takes longer than `ms`, or fails. */
  flush(ms: number): Promise<boolean> {
    return finishesWithin(systemClock, ms, this.#written());
  }

  async #written(): Promise<void> {
    this.#flush();
    while (this.#full !== undefined) await this.#full;
    if (this.#closed !== undefined) throw this.#closed;
    await new Promise<void>((resolve, reject) => {
      this.#write("", (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Stops sending and drops waiting messages. Idempotent: the first reason counts. */
  end(reason: ConnectionClosedError): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#text = "";
    this.#queue.clear();
    this.#settleFull?.reject(reason);
    this.#full = undefined;
  }

  /** Removes all listeners from the stream, without closing it. Later failures of pending writes are ignored. */
  release(): void {
    this.#stream.off("drain", this.#onDrain).off("close", this.#onClosed);
    if (this.#stream.writableLength === 0) this.#stream.off("error", this.#onClosed);
  }

  #sendLarge(id: RequestId, result: JsonText): MaybePromise<void> {
    const bytes = bytesOf(result);
    const max = this.#maxMessageBytes;
    const tooLong: Exceeded | undefined = bytes.length > max ? { limit: "limits.maxMessageBytes", max, bytes: bytes.length } : undefined;
    const exceeded = tooLong ?? (this.#full && this.#exceeded(bytes.length));
    if (exceeded !== undefined) return this.send(tooLargeResponse(id, exceeded));
    const pieces = [`${this.#text}{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, bytes, "}\n"];
    this.#text = ""; // it is empty while the stream is full
    if (this.#full === undefined) return this.#writeAll(pieces) ? undefined : this.#block();
    for (const piece of pieces) this.#queue.push(piece, false, true);
    return this.#full;
  }

  /** Writes pieces in one system call, without copying bytes. */
  #writeAll(pieces: readonly Piece[]): boolean {
    let taken = true;
    this.#stream.cork();
    for (const piece of pieces) taken = this.#write(piece);
    this.#stream.uncork();
    return taken;
  }

  #enqueue(message: Outgoing, text: string, taken: Promise<void>): MaybePromise<void> {
    const kind = isBatch(message) ? undefined : message;
    const droppable = kind !== undefined && "method" in kind && DROPPABLE.has(kind.method);
    const line = droppable ? `${text}\n` : this.#fitting(message, text);
    const fits = this.#queue.push(line, droppable, kind === undefined || !isRequest(kind));
    if (fits) return taken;
    if (!droppable) throw new LimitExceededError("limits.maxQueuedBytes", this.#queue.maxBytes);
  }

  /**
   * The line that may wait: the line of an error if a response exceeds `limits.maxUnreadBytes`. A small response is no larger than
   * that error.
   */
  #fitting(message: Outgoing, text: string): Piece {
    // A text has at least a byte for each unit. What is too long by that is not encoded; another long line is encoded once.
    const early = this.#exceeded(text.length);
    const line = early !== undefined || text.length < LARGE ? `${text}\n` : Buffer.from(`${text}\n`);
    const bytes = Buffer.byteLength(line) - 1; // without the line break
    const exceeded = early ?? this.#exceeded(bytes);
    if (exceeded === undefined || (bytes <= SMALL_RESPONSE && !("method" in message))) return line;
    return `${shortenMessage(message, exceeded, this.#maxUnreadBytes - this.#unread)}\n`;
  }

  #flush(): void {
    const text = this.#text;
    if (text === "") return;
    this.#text = "";
    if (!this.#write(text)) this.#block();
  }

  #block(): void {
    if (this.#closed !== undefined || this.#full !== undefined) return;
    const promise = new Promise<void>((resolve, reject) => {
      this.#settleFull = { resolve, reject };
    });
    promise.catch(ignore); // there may be no waiters
    this.#full = promise;
  }

  readonly #onDrain = (): void => {
    if (this.#full === undefined) return;
    for (let pieces = this.#queue.take(FULL_WRITE); pieces.length > 0; pieces = this.#queue.take(FULL_WRITE)) {
      if (!this.#writeAll(pieces)) return;
    }
    this.#full = undefined;
    this.#settleFull?.resolve();
    const dropped = this.#queue.takeDropped();
    if (dropped > 0) this.#options.onDropped?.(droppedError(dropped, this.#queue.maxBytes));
  };

  readonly #onClosed = (cause?: Error): void => {
    if (this.#closed !== undefined) return;
    this.end(new ConnectionClosedError(`Connection closed: ${cause?.message ?? "the peer no longer reads"}`, undefined, { cause }));
    this.#options.onClosed(cause);
  };
}

function droppedError(dropped: number, max: number): McpError {
  const message = `${dropped} progress or log messages were dropped: the peer reads too slowly (limit "limits.maxQueuedBytes" of ${max})`;
  return new McpError(ErrorCode.InternalError, message, { limit: "limits.maxQueuedBytes", max, dropped });
}

function isLarge(result: unknown): result is JsonText {
  return result instanceof JsonText && result.reused && result.text.length >= LARGE;
}

function ignore(): void {}
