/**
 * A stream of bytes to messages: the reading half of stdio, on both sides.
 *
 * Lines are parsed when they are handed over, and the stream is paused while nobody takes them, so that back-pressure
 * reaches the peer. What the end of the stream means is its owner's decision (`onEnd`).
 */
import type { Readable } from "node:stream";
import type { Incoming } from "../../jsonrpc/incoming.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import type { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import type { RunInContext } from "../../base/async-context.ts";
import { captureContext } from "../async-context.ts";
import { LineSplitter, type Line } from "./line-splitter.ts";

export interface LineReaderOptions {
  /** Bytes of one line. Default 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Called once, when everything that came was queued: at the end of the stream, when it fails, or at a line too long. */
  readonly onEnd: (cause?: Error) => void;
  /** What a line says. Default {@link parseMessage}. */
  readonly parse?: typeof parseMessage;
}

/** Who is told of what arrives. */
interface Receiver {
  /** @returns a promise where the next one has to wait for something */
  readonly take: (message: Incoming) => MaybePromise<void>;
  /** There are no more. */
  readonly reject: (error: unknown) => void;
  /** What there was has been handed over, or has to wait. */
  readonly stopped?: (() => void) | undefined;
}

/** Messages handed over one after the other before the event loop gets a turn. */
const MESSAGES_A_TURN = 256;

export class LineReader {
  readonly #stream: Readable;
  readonly #ended: LineReaderOptions["onEnd"];
  readonly #parse: (line: string) => Incoming;
  readonly #splitter: LineSplitter;
  readonly #lines: Line[] = [];
  /** Index of the next line. */
  #next = 0;
  #handedOver = 0;
  #receiver: Receiver | undefined;
  /** A stream calls from wherever it was written to; what it brings belongs to whoever receives it (CV-12). */
  #inContext: RunInContext = (fn) => fn();
  #paused = false;
  #streamEnded = false;
  #draining = false;
  #end: ConnectionClosedError | undefined;

  constructor(stream: Readable, options: LineReaderOptions) {
    const { maxLineBytes, onEnd, parse = parseMessage } = options;
    const limits = maxLineBytes === undefined ? undefined : { size: maxLineBytes };
    this.#stream = stream;
    this.#ended = onEnd;
    this.#parse = (line) => parse(line, limits);
    this.#splitter = new LineSplitter(maxLineBytes);
    stream.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onEnd);
  }

  receive(): Promise<Incoming> {
    return new Promise((resolve, reject) => {
      const take = (message: Incoming): undefined => {
        this.#receiver = undefined;
        resolve(message);
      };
      this.#receive({ take, reject });
    });
  }

  /**
   * Hands over every message, without a promise each; `stopped` follows those that came together. Rejects where there are no
   * more, and with what `take` fails with.
   */
  receiveAll(take: (message: Incoming) => MaybePromise<void>, stopped?: () => void): Promise<never> {
    this.#inContext = captureContext();
    return new Promise((_resolve, reject) => this.#receive({ take, reject, stopped }));
  }

  /** Nothing more is received but what waits already. Idempotent: the first reason stays. */
  end(reason: ConnectionClosedError): void {
    this.#end ??= reason;
    this.#handOver();
  }

  /** From now on what arrives is read and thrown away, so that the peer never blocks on us; what waits is dropped. */
  drain(reason: ConnectionClosedError): void {
    this.#draining = true;
    this.#lines.length = 0;
    this.#next = 0;
    this.end(reason);
    this.#resume();
  }

  /** Lets go of the stream, without closing it. */
  release(): void {
    const stream = this.#stream;
    stream.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onEnd);
    stream.pause();
  }

  #parseNext(): Incoming {
    this.#handedOver++;
    const line = this.#lines[this.#next++]!;
    if (this.#next === this.#lines.length) {
      this.#lines.length = 0;
      this.#next = 0;
    }
    return typeof line === "string" ? this.#parse(line) : line;
  }

  #receive(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#handOver();
  }

  #handOver(): void {
    const receiver = this.#receiver;
    while (this.#receiver !== undefined && this.#next < this.#lines.length) this.#handOverNext(this.#receiver);
    receiver?.stopped?.();
    if (this.#next < this.#lines.length) this.#pause();
    else if (this.#end !== undefined) this.#fail(this.#end);
    else if (this.#receiver !== undefined) this.#resume();
  }

  #handOverNext(receiver: Receiver): void {
    try {
      const wait = this.#handedOver < MESSAGES_A_TURN ? receiver.take(this.#parseNext()) : this.#nextTurn();
      if (wait === undefined) return;
      this.#receiver = undefined;
      wait.then(() => this.#receive(receiver), receiver.reject);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A peer that floods must not hold up timers and other connections. */
  #nextTurn(): Promise<void> {
    this.#handedOver = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  #fail(error: unknown): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.reject(error);
  }

  readonly #onData = (chunk: Buffer | Uint8Array | string): void => {
    if (this.#draining || this.#end !== undefined) return;
    try {
      // A stream whose owner has set an encoding gives text.
      this.#splitter.push(chunk instanceof Buffer ? chunk : Buffer.from(chunk), this.#lines);
    } catch (error) {
      this.#lines.push(this.#splitter.tooLong!);
      this.#onEnd(error as Error); // the splitter throws nothing but a LimitExceededError
    }
    this.#inContext(() => this.#handOver());
  };

  /** Once: when a process exits Node resumes its streams, and what is left in them would be lost if they were paused again. */
  #pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#stream.pause();
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
      this.#inContext(() => this.#handOver());
    }
    this.#ended(cause);
  };
}
