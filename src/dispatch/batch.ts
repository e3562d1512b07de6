/**
 * The responses to one batch (2025-03-26): they are sent together as one array, once every member has settled.
 *
 * A cancelled member has no response; a batch of notifications has none at all (JSON-RPC 2.0, section 6).
 */
import type { JSONRPCMessage } from "../jsonrpc/message.ts";

export class Batch {
  readonly #write: (answers: readonly JSONRPCMessage[]) => void;
  readonly #answers: JSONRPCMessage[] = [];
  /** Members that have not settled, plus one until all have been read. */
  #open = 1;

  constructor(write: (answers: readonly JSONRPCMessage[]) => void) {
    this.#write = write;
  }

  /** Records that a member will get a response later, or will be cancelled. */
  expect(): void {
    this.#open++;
  }

  /** Adds the response to a malformed member. */
  add(answer: JSONRPCMessage): void {
    this.#answers.push(answer);
  }

  /** Adds the response to an expected member; undefined if the member was cancelled. */
  settle(answer?: JSONRPCMessage): void {
    if (answer !== undefined) this.add(answer);
    if (--this.#open === 0 && this.#answers.length > 0) this.#write(this.#answers);
  }

  /** Records that every member has been read. */
  seal(): void {
    this.settle();
  }
}
