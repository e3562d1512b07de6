/**
 * The responses to one batch (2025-03-26): they are sent together as one array, once every member has settled.
 *
 * A cancelled member has no response; a batch of notifications has none at all (JSON-RPC 2.0, section 6).
 */
import type { JSONRPCMessage } from "../jsonrpc/message.ts";

export class Batch {
  readonly #write: (responses: readonly JSONRPCMessage[]) => void;
  readonly #responses: JSONRPCMessage[] = [];
  /** Members that have not settled, plus one until all have been read. */
  #open = 1;

  constructor(write: (responses: readonly JSONRPCMessage[]) => void) {
    this.#write = write;
  }

  /** Records that a member will get a response later, or will be cancelled. */
  expect(): void {
    this.#open++;
  }

  /** Adds the response to a malformed member. */
  add(response: JSONRPCMessage): void {
    this.#responses.push(response);
  }

  /** Adds the response to an expected member; undefined if the member was cancelled. */
  settle(response?: JSONRPCMessage): void {
    if (response !== undefined) this.add(response);
    if (--this.#open === 0 && this.#responses.length > 0) this.#write(this.#responses);
  }

  /** Records that every member has been read. */
  seal(): void {
    this.settle();
  }
}
