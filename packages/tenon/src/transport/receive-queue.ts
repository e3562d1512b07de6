/**
 * Turns pushes into `receive()`: the reading half of a transport whose source pushes.
 *
 * Keeps messages until they are received; one reader. After the end the waiting ones are still delivered, then `receive()` rejects
 * with the reason. The queue counts the characters that wait; its owner limits them.
 */
import type { Incoming } from "../jsonrpc/incoming.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { McpError } from "../jsonrpc/mcp-error.ts";

/** Items delivered before their memory is released. */
const BLOCK = 1024;

export class ReceiveQueue {
  #items: Incoming[] = [];
  /** The characters of each item. */
  #lengths: number[] = [];
  #characters = 0;
  /** Index of the next item: shifting an array costs more than an index. Delivered items are released in blocks. */
  #next = 0;
  #reader: { resolve(item: Incoming): void; reject(error: McpError): void } | undefined;
  #end: McpError | undefined;

  get ended(): boolean {
    return this.#end !== undefined;
  }

  get size(): number {
    return this.#items.length - this.#next;
  }

  /** Characters that wait to be received. */
  get characters(): number {
    return this.#characters;
  }

  /** Whether an item of this many characters may wait too. One that waits alone may always, so that a limit never stops a connection. */
  hasRoom(characters: number, max: number): boolean {
    return this.size === 0 || this.#characters + characters <= max;
  }

  /** @param characters the length of its text */
  push(item: Incoming, characters: number): void {
    if (this.#end !== undefined) return;
    const reader = this.#reader;
    if (reader === undefined) {
      this.#items.push(item);
      this.#lengths.push(characters);
      this.#characters += characters;
      return;
    }
    this.#reader = undefined;
    reader.resolve(item);
  }

  receive(): MaybePromise<Incoming> {
    if (this.#next < this.#items.length) {
      this.#characters -= this.#lengths[this.#next]!;
      const item = this.#items[this.#next++]!;
      const empty = this.#next === this.#items.length;
      if (empty || (this.#next >= BLOCK && this.#next * 2 >= this.#items.length)) {
        this.#items = empty ? [] : this.#items.slice(this.#next);
        this.#lengths = empty ? [] : this.#lengths.slice(this.#next);
        this.#next = 0;
      }
      return item;
    }
    if (this.#end !== undefined) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  /** Records that nothing more will arrive. Idempotent: the first reason stays. */
  end(reason: McpError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.reject(reason);
  }
}
