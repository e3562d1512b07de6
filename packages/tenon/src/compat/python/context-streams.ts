/**
 * A stream of messages inside this process that also carries the context each was sent from.
 *
 * What the sender has put into an `AsyncLocalStorage`, such as the user or a trace, is then available in the receiving handler: on
 * Node, Bun and Deno; other runtimes have no contexts. Without a buffer, the default, sending waits for the reader.
 */
import type { RunInContext } from "../../base/async-context.ts";
import { captureContext } from "#async-context";
import { ConnectionClosedError, McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { MessageReader, MessageWriter, SessionMessage } from "../../transport/session-message.ts";

/** What the stream carries: a message, or an error in place of one. */
type Item = SessionMessage | Error;
type Read = IteratorResult<Item, undefined>;

/** The writing half. It can also write an error in place of a message that could not be read. */
export interface ContextWriter extends MessageWriter {
  /** Writes one item with the current context. Resolves when there is room or it was read. @throws ConnectionClosedError after the end */
  send(item: Item): Promise<void>;
}

interface PendingItem {
  readonly item: Item;
  readonly context: RunInContext | undefined;
  readonly taken: () => void;
  readonly refused: (reason: ConnectionClosedError) => void;
}

class ContextChannel {
  lastContext: RunInContext | undefined;
  readonly #capacity: number;
  readonly #waiting: PendingItem[] = [];
  #reader: ((read: Read) => void) | undefined;
  #ended = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  send(item: Item): Promise<void> {
    if (this.#ended) return Promise.reject(new ConnectionClosedError());
    const context = captureContext();
    return new Promise((taken, refused) => {
      this.#waiting.push({ item, context, taken, refused });
      if (this.#waiting.length <= this.#capacity) taken();
      this.#deliver();
    });
  }

  next(): Promise<Read> {
    if (this.#reader !== undefined) return Promise.reject(new McpUsageError("A stream of messages has one reader"));
    return new Promise((resolve) => {
      this.#reader = resolve;
      this.#deliver();
    });
  }

  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const next = this.#waiting.shift();
    if (next === undefined && !this.#ended) return;
    this.#reader = undefined;
    this.lastContext = next?.context;
    reader(next === undefined ? { done: true, value: undefined } : { done: false, value: next.item });
    next?.taken();
    this.#waiting[this.#capacity - 1]?.taken();
  }

  /** Ends the stream: items that were sent before are still read. */
  end(): void {
    this.#ended = true;
    this.#deliver();
  }

  /** Ends the stream because there is no reader any more. */
  abandon(): void {
    for (const { refused } of this.#waiting.splice(0)) refused(new ConnectionClosedError());
    this.end();
  }
}

/**
 * The two ends of one stream. Two streams, crossed, make a connection: `{ read: a, write: b }` and `{ read: b, write: a }`.
 * @param capacity items that can be sent before they are read. Default 0
 * @throws RangeError if the capacity is negative or not a whole number
 */
export function createContextStreams(capacity = 0): [write: ContextWriter, read: MessageReader] {
  if (!(Number.isInteger(capacity) && capacity >= 0))
    throw new RangeError(`A capacity must be a whole number >= 0, not ${String(capacity)}`);
  const channel = new ContextChannel(capacity);
  const write: ContextWriter = {
    send: (item) => channel.send(item),
    [Symbol.asyncDispose]: () => Promise.resolve(channel.end()),
  };
  const read: MessageReader = {
    [Symbol.asyncIterator]: () => ({ next: () => channel.next() }),
    get lastContext() {
      return channel.lastContext;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(channel.abandon()),
  };
  return [write, read];
}
