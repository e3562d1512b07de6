/**
 * Messages to a stream of bytes: the writing half of stdio, on both sides.
 *
 * The messages of one turn leave in as few writes as do not keep the reader idle. While the stream is full they wait here,
 * where their bytes are bounded twice. Above the first limit progress and log messages are dropped, requests are refused, and the
 * owner reads no more (`whenRoom`); results of calls that run already still wait. Above the second limit each of those becomes an error.
 * A message that is too long for one line is not sent (`too-long.ts`).
 */
import { systemClock, finishesWithin } from "../../base/clock.ts";
import type { Writable } from "node:stream";
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { isRequest, JsonText, type RequestId } from "../../jsonrpc/message.ts";
import { ConnectionClosedError, ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";
import { bytesOf } from "../text-bytes.ts";
import { shortenMessage, tooLargeResponse, type Exceeded } from "./too-long.ts";
import { WriteQueue, type Piece } from "./write-queue.ts";

export interface LineWriterOptions {
  /** Bytes that may wait while the stream is full. Default 4 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** Bytes that may wait in all while the stream is full. Default 64 MiB. */
  readonly maxUnreadBytes?: number | undefined;
  /** Bytes of one message. Default: no limit. */
  readonly maxMessageBytes?: number | undefined;
  /** Called once, when the stream can no longer be written to. */
  readonly onClosed: (cause?: Error) => void;
  /** Told how many progress and log messages were dropped, once the stream has taken what waited. */
  readonly onDropped?: ((error: Error) => void) | undefined;
}

export const DEFAULT_MAX_QUEUED_BYTES: number = 4 * 1024 * 1024;
export const DEFAULT_MAX_UNREAD_BYTES: number = 64 * 1024 * 1024;
/** Characters of a turn's first write. It does not wait for the end of the turn: the peer reads it while the rest is made. */
const FIRST_WRITE = 4 * 1024;
/** Characters of the largest write: each of a turn is twice the one before, for a system call costs as much as a few messages. */
const FULL_WRITE = 64 * 1024;
/** Characters from which a result that many messages carry is bytes of its own instead of being copied into the text. */
const LARGE = 16 * 1024;
/** Bytes of a response that always waits: the next request is read only when fewer bytes wait, so that these are few. */
const SMALL_RESPONSE = 1_024;
const DROPPABLE = new Set(["notifications/progress", "notifications/message"]);

export class LineWriter {
  readonly #stream: Writable;
  /** The stream's own `write`, even where that is later replaced to protect it. */
  readonly #write: Writable["write"];
  readonly #options: LineWriterOptions;
  readonly #queue: WriteQueue;
  readonly #maxMessageBytes: number;
  readonly #maxUnreadBytes: number;
  /** What this turn has sent and not yet written. */
  #text = "";
  /** Characters of it that are written before the turn ends. */
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
   * Writes a message. The promise resolves when a full stream has taken it.
   * @throws ConnectionClosedError, LimitExceededError `limits.maxQueuedBytes` for a request that was not sent, `limits.maxMessageBytes` or
   * `limits.maxUnreadBytes` for a request or a notification, TypeError
   */
  send(message: Outgoing): MaybePromise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    if ("result" in message && isLarge(message.result)) return this.#sendLarge(message.id, message.result);
    const text = this.#textOf(message);
    if (this.#full !== undefined) return this.#enqueue(message, text, this.#full);
    this.#text += `${text}\n`;
    if (!this.#scheduled) {
      this.#scheduled = true;
      process.nextTick(this.uncork);
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

  /** Resolves when the peer has read, if more than `limits.maxQueuedBytes` wait for it. Rejects when the stream is closed. */
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

  /** What is sent from now on waits for `uncork()`, which whoever knows when the turn ends calls sooner than it would come by itself. */
  cork(): void {
    this.#scheduled = true;
  }

  readonly uncork = (): void => {
    this.#scheduled = false;
    this.#enough = FIRST_WRITE;
    this.#flush();
  };

  /** Waits until everything sent so far has left the process. False where that took longer than `ms`, or failed. */
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

  /** Nothing more is sent; what waits is given up. Idempotent: the first reason stays. */
  end(reason: ConnectionClosedError): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#text = "";
    this.#queue.clear();
    this.#settleFull?.reject(reason);
    this.#full = undefined;
  }

  /** Lets go of the stream, without closing it. A write that is still under way may fail later: that is ignored. */
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
    this.#text = ""; // there is none while the stream is full
    if (this.#full === undefined) return this.#writeAll(pieces) ? undefined : this.#block();
    for (const piece of pieces) this.#queue.push(piece, false, true);
    return this.#full;
  }

  /** One system call, and no copy of what are bytes. */
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
    const line = `${droppable ? text : this.#fitting(message, text)}\n`;
    const fits = this.#queue.push(line, droppable, kind === undefined || !isRequest(kind));
    if (fits) return taken;
    if (!droppable) throw new LimitExceededError("limits.maxQueuedBytes", this.#queue.maxBytes);
  }

  /** The text that may wait: that of an error if a response exceeds `limits.maxUnreadBytes`. A small response is no larger than that error. */
  #fitting(message: Outgoing, text: string): string {
    const bytes = Buffer.byteLength(text);
    const exceeded = this.#exceeded(bytes);
    if (exceeded === undefined || (bytes <= SMALL_RESPONSE && !("method" in message))) return text;
    return shortenMessage(message, exceeded, this.#maxUnreadBytes - this.#unread);
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
    promise.catch(ignore); // nobody may be waiting
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
