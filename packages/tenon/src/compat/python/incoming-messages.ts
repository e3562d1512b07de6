/**
 * Messages that a session delivers to one reader, in order. They end when the session does, so that a reader never hangs.
 *
 * Bounded: reading the connection never waits for the reader, because the reader may itself wait for a response on it.
 */
import { ErrorCode, LimitExceededError, McpUsageError } from "../../jsonrpc/mcp-error.ts";

/** Messages that wait for the reader. */
const MAX_WAITING_MESSAGES = 1024;

export class IncomingMessages<Message> implements AsyncIterable<Message> {
  readonly #waiting: Message[] = [];
  #reader: ((result: IteratorResult<Message, undefined>) => void) | undefined;
  #ended = false;

  /** @throws LimitExceededError if too many wait; the message is lost */
  push(message: Message): void {
    if (this.#ended) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader !== undefined) reader({ done: false, value: message });
    else if (this.#waiting.length < MAX_WAITING_MESSAGES) this.#waiting.push(message);
    else throw new LimitExceededError("incoming", MAX_WAITING_MESSAGES, undefined, ErrorCode.InternalError);
  }

  end(): void {
    this.#ended = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<Message, undefined> {
    return { next: () => this.#next() };
  }

  #next(): Promise<IteratorResult<Message, undefined>> {
    if (this.#waiting.length > 0) return Promise.resolve({ done: false, value: this.#waiting.shift()! });
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    if (this.#reader !== undefined) return Promise.reject(new McpUsageError("The messages of a session have one reader"));
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }
}
