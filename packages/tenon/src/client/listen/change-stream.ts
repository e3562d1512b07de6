/** The changes that a client listens for, as an iterator: what `client.listen` resolves with. */
import { McpUsageError } from "../../jsonrpc/mcp-error.ts";
import type { ServerChange } from "./changes.ts";

/**
 * The changes, in order, for one reader. An unread change is kept once, so a slow reader needs no memory. The stream ends when it
 * is closed, its signal aborts or the server ends it; a lost connection ends it with that error.
 */
export class ChangeStream implements AsyncIterableIterator<ServerChange, undefined> {
  readonly #release: () => Promise<void>;
  readonly #waiting = new Map<string, ServerChange>();
  #reader: { resolve(result: IteratorResult<ServerChange, undefined>): void; reject(error: unknown): void } | undefined;
  #ended = false;
  #error: unknown;
  #released: Promise<void> | undefined;

  /** @internal */
  constructor(release: () => Promise<void>) {
    this.#release = release;
  }

  /** @internal */
  push(change: ServerChange): void {
    if (this.#ended) return;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) reader.resolve({ done: false, value: change });
    else this.#waiting.set(change.kind === "resource" ? `resource ${change.uri}` : change.kind, change);
  }

  /** @internal Ends the stream. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    const reader = this.#reader;
    this.#reader = undefined;
    if (reader) this.#finish(reader);
  }

  /**
   * Waits for the next change; `done` once the stream has ended.
   * @throws McpUsageError (rejects) if another read is pending, and the error that ended the stream
   */
  next(): Promise<IteratorResult<ServerChange, undefined>> {
    for (const [key, value] of this.#waiting) {
      this.#waiting.delete(key);
      return Promise.resolve({ done: false, value });
    }
    if (this.#reader !== undefined) return Promise.reject(new McpUsageError("A change stream has one reader"));
    return new Promise((resolve, reject) => {
      if (this.#ended) this.#finish({ resolve, reject });
      else this.#reader = { resolve, reject };
    });
  }

  #finish(reader: { resolve(result: IteratorResult<ServerChange, undefined>): void; reject(error: unknown): void }): void {
    const error = this.#error;
    this.#error = undefined;
    if (error === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(error);
  }

  /** Stops watching. Idempotent. */
  close(): Promise<void> {
    this.end();
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Stops watching: what leaving a `for await` loop does. */
  async return(): Promise<IteratorResult<ServerChange, undefined>> {
    await this.close();
    return { done: true, value: undefined };
  }

  /** Returns the stream itself, which can be read once. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
