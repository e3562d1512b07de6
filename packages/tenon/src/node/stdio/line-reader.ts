/**
 * Reads messages from a stream of bytes: the reading half of stdio, on both sides.
 *
 * Lines that arrived together are parsed together, and handed over one by one. The stream is paused while no message is taken, so
 * that back-pressure reaches the peer. The owner decides what the end of the stream means (`onEnd`).
 */
import { AsyncResource } from "node:async_hooks";
import type { Readable } from "node:stream";
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { ErrorCode, type ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import { nextTurn } from "../../base/turns.ts";
import { splitValues } from "./split-values.ts";
import type { RunInContext } from "../../base/async-context.ts";
import { LineSplitter } from "./line-splitter.ts";

export interface LineReaderOptions {
  /** Most bytes of one line. Default 10 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** Called once, when everything that arrived is queued: at the end of the stream, if it fails, or at a line that is too long. */
  readonly onEnd: (cause?: Error) => void;
  /** Called with each line and what it was read as. */
  readonly onLine?: (line: string, message: Incoming) => void;
}

interface Receiver {
  /** @returns a promise if the next message has to wait */
  readonly take: (message: Incoming) => MaybePromise<void>;
  readonly reject: (error: unknown) => void;
  /** Called when all available messages are handed over, or have to wait. */
  readonly stopped?: (() => void) | undefined;
}

/** Most messages that are handed over in one turn of the event loop. */
const MESSAGES_A_TURN = 256;

export class LineReader {
  readonly #stream: Readable;
  readonly #ended: LineReaderOptions["onEnd"];
  readonly #limits: { readonly size: number } | undefined;
  readonly #onLine: LineReaderOptions["onLine"];
  readonly #splitter: LineSplitter;
  /** Messages, and after them the lines that are not parsed yet. */
  #queue: (string | Incoming)[] = [];
  /** Index of the next message. */
  #next = 0;
  /** Index of the first line. */
  #parsed = 0;
  #handedOver = 0;
  #receiver: Receiver | undefined;
  /** Runs functions in the receiver's asynchronous context, because a stream calls its listeners in the writer's. */
  #inContext: RunInContext = (fn) => fn();
  #paused = false;
  #streamEnded = false;
  #draining = false;
  #end: ConnectionClosedError | undefined;

  constructor(stream: Readable, options: LineReaderOptions) {
    const { maxLineBytes, onEnd, onLine } = options;
    this.#limits = maxLineBytes === undefined ? undefined : { size: maxLineBytes };
    this.#stream = stream;
    this.#ended = onEnd;
    this.#onLine = onLine;
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
   * Hands over every message without creating a promise for each. Calls `stopped` after messages that arrived together. Rejects
   * when there are no more, or with the error of `take`.
   */
  receiveAll(take: (message: Incoming) => MaybePromise<void>, stopped?: () => void): Promise<never> {
    const here = new AsyncResource("tenon.message");
    this.#inContext = (run) => here.runInAsyncScope(run);
    return new Promise((_resolve, reject) => this.#receive({ take, reject, stopped }));
  }

  /** Ends receiving after the queued messages. Idempotent: the first reason counts. */
  end(reason: ConnectionClosedError): void {
    this.#end ??= reason;
    this.#handOver();
  }

  /** Drops queued and later messages, but keeps reading, so that the peer is not blocked. */
  drain(reason: ConnectionClosedError): void {
    this.#draining = true;
    this.#clear();
    this.end(reason);
    this.#resume();
  }

  /** Removes all listeners from the stream, without closing it. */
  release(): void {
    const stream = this.#stream;
    stream.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd).off("error", this.#onEnd);
    stream.pause();
  }

  #clear(): void {
    this.#queue = [];
    this.#next = 0;
    this.#parsed = 0;
  }

  /** The next message; undefined if a line before it has ended the connection. */
  #nextMessage(): Incoming | undefined {
    if (this.#next === this.#parsed) this.#parseLines();
    const message = this.#queue[this.#next++] as Incoming | undefined; // parsed just now
    if (this.#next >= this.#queue.length) this.#clear();
    return message;
  }

  /** Parses many lines one after the other, because the code of the parser then stays in the cache of the processor. */
  #parseLines(): void {
    const queue = this.#queue;
    const end = (this.#parsed = Math.min(queue.length, this.#next + MESSAGES_A_TURN));
    for (let at = this.#next; at < end && !this.#draining; at++) {
      const line = queue[at]!;
      if (typeof line === "string") queue[at] = this.#parse(line, at);
    }
  }

  /** Reads a line. If it is several messages, the others become the next lines. */
  #parse(line: string, at: number): Incoming {
    const message = parseMessage(line, this.#limits);
    const values = isGarbage(message) ? splitValues(line) : undefined;
    if (values === undefined) {
      this.#onLine?.(line, message);
      return message;
    }
    this.#queue.splice(at + 1, 0, ...values.slice(1));
    return this.#parse(values[0]!, at);
  }

  #receive(receiver: Receiver): void {
    this.#receiver = receiver;
    this.#handOver();
  }

  #handOver(): void {
    const receiver = this.#receiver;
    while (this.#receiver !== undefined && this.#next < this.#queue.length) this.#handOverNext(this.#receiver);
    receiver?.stopped?.();
    if (this.#next < this.#queue.length) this.#pause();
    else if (this.#end !== undefined) this.#fail(this.#end);
    else if (this.#receiver !== undefined) this.#resume();
  }

  #handOverNext(receiver: Receiver): void {
    try {
      const wait = this.#handedOver < MESSAGES_A_TURN ? this.#takeNext(receiver) : this.#nextTurn();
      if (wait === undefined) return;
      this.#receiver = undefined;
      wait.then(() => this.#receive(receiver), receiver.reject);
    } catch (error) {
      this.#fail(error);
    }
  }

  #takeNext(receiver: Receiver): MaybePromise<void> {
    this.#handedOver++;
    const message = this.#nextMessage();
    return message && receiver.take(message);
  }

  /** Waits a turn, so that a flooding peer does not block timers and other connections. */
  #nextTurn(): Promise<void> {
    this.#handedOver = 0;
    return nextTurn();
  }

  #fail(error: unknown): void {
    const receiver = this.#receiver;
    this.#receiver = undefined;
    receiver?.reject(error);
  }

  readonly #onData = (chunk: Buffer | Uint8Array | string): void => {
    if (this.#draining || this.#end !== undefined) return;
    try {
      // A stream with an encoding emits text.
      this.#splitter.push(chunk instanceof Buffer ? chunk : Buffer.from(chunk), this.#queue);
    } catch (error) {
      this.#queue.push(this.#splitter.tooLong!);
      this.#onEnd(error as Error); // the splitter throws only a LimitExceededError
    }
    this.#inContext(() => this.#handOver());
  };

  /** Pauses the stream, unless it is paused. When a process exits, Node resumes its streams, and pausing them again would lose data. */
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
      this.#splitter.end(this.#queue);
      this.#inContext(() => this.#handOver());
    }
    this.#ended(cause);
  };
}

export function isGarbage(message: Incoming): message is MalformedMessage {
  return message instanceof MalformedMessage && message.error.code === ErrorCode.ParseError;
}
