/**
 * A stream of bytes to messages: the reading half of stdio, on both sides.
 *
 * Lines are parsed when they are asked for, and the stream is paused while nobody asks, so that back-pressure reaches
 * the peer. What the end of the stream means is its owner's decision (`onEnd`).
 */
import type { Readable } from "node:stream";
import type { Incoming, MalformedMessage } from "../jsonrpc/incoming.ts";
import type { JsonLimits } from "../jsonrpc/json-limits.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { ConnectionClosedError } from "../jsonrpc/mcp-error.ts";
import { parseMessage } from "../jsonrpc/parse.ts";
import { LineSplitter } from "./line-splitter.ts";

export interface LineReaderOptions {
  /** Bytes of one line. Default 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Called once, when everything that came was queued: at the end of the stream, when it fails, or at a line too long. */
  readonly onEnd: (cause?: Error) => void;
  /** What a line says. Default `parseMessage`. */
  readonly parse?: typeof parseMessage;
}

/** Messages handed out one after the other before the event loop gets a turn. */
const MESSAGES_A_TURN = 256;

export class LineReader {
  readonly #stream: Readable;
  readonly #ended: LineReaderOptions["onEnd"];
  readonly #parse: typeof parseMessage;
  readonly #splitter: LineSplitter;
  readonly #limits: Partial<JsonLimits> | undefined;
  readonly #lines: (string | MalformedMessage)[] = [];
  /** Index of the next line. */
  #next = 0;
  #handedOut = 0;
  #waiting: { resolve(message: Incoming): void; reject(error: Error): void } | undefined;
  #paused = false;
  #streamEnded = false;
  #draining = false;
  #end: ConnectionClosedError | undefined;

  constructor(stream: Readable, options: LineReaderOptions) {
    const { maxLineBytes, onEnd, parse = parseMessage } = options;
    this.#limits = maxLineBytes === undefined ? undefined : { size: maxLineBytes };
    this.#stream = stream;
    this.#ended = onEnd;
    this.#parse = parse;
    this.#splitter = new LineSplitter(maxLineBytes);
    stream.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onEnd);
  }

  receive(): MaybePromise<Incoming> {
    if (this.#next === this.#lines.length) return this.#wait();
    if (++this.#handedOut % MESSAGES_A_TURN === 0) return this.#afterTurn();
    return this.#take();
  }

  /** Nothing more is received but what waits already. Idempotent: the first reason stays. */
  end(reason: ConnectionClosedError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(reason);
  }

  /** What comes is of no use: as if the stream had failed. */
  fail(cause: Error): void {
    this.#onEnd(cause);
    this.#discard();
  }

  /** From now on what arrives is read and thrown away, so that the peer never blocks on us; what waits is dropped. */
  drain(reason: ConnectionClosedError): void {
    this.#discard();
    this.end(reason);
    this.#resume();
  }

  /** Lets go of the stream, without closing it. */
  release(): void {
    const stream = this.#stream;
    stream.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onEnd);
    stream.pause();
  }

  #take(): Incoming {
    const line = this.#lines[this.#next++]!;
    if (this.#next === this.#lines.length) {
      this.#lines.length = 0;
      this.#next = 0;
    }
    return typeof line === "string" ? this.#parse(line, this.#limits) : line;
  }

  #wait(): Promise<Incoming> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#resume();
    });
  }

  /** The next line after other work had its turn: a peer that floods must not hold up timers and other connections. */
  async #afterTurn(): Promise<Incoming> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#next < this.#lines.length ? this.#take() : this.#wait();
  }

  readonly #onData = (chunk: Buffer | Uint8Array | string): void => {
    if (this.#draining || this.#end !== undefined) return;
    try {
      // A stream whose owner has set an encoding gives text.
      this.#splitter.push(chunk instanceof Buffer ? chunk : Buffer.from(chunk), this.#lines);
    } catch (error) {
      this.#onEnd(error as Error); // the splitter throws nothing but a LimitExceededError
    }
    this.#deliver();
  };

  #deliver(): void {
    if (this.#next === this.#lines.length) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting.resolve(this.#take());
    else if (!this.#paused) {
      this.#paused = true;
      this.#stream.pause();
    }
  }

  #discard(): void {
    this.#draining = true;
    this.#lines.length = 0;
    this.#next = 0;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#stream.resume();
  }

  readonly #onEnd = (cause?: Error): void => {
    if (this.#streamEnded) return;
    this.#streamEnded = true;
    if (!this.#draining) {
      this.#splitter.end(this.#lines);
      this.#deliver();
    }
    this.#ended(cause);
  };
}
