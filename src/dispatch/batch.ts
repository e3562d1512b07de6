/**
 * The answers to one batch (2025-03-26): they leave together, as one array, once every member has settled.
 *
 * A cancelled member has no answer; a batch of notifications has none at all (JSON-RPC 2.0 section 6, ruling Z19).
 */
import type { JSONRPCMessage } from "../jsonrpc/message.ts";

export class Batch {
  readonly #write: (answers: readonly JSONRPCMessage[]) => void;
  readonly #answers: JSONRPCMessage[] = [];
  /** Members that have not settled; one more until all have been read. */
  #open = 1;

  constructor(write: (answers: readonly JSONRPCMessage[]) => void) {
    this.#write = write;
  }

  /** A member will be answered later, or cancelled. */
  expect(): void {
    this.#open++;
  }

  /** The answer of a member that is no message. */
  add(answer: JSONRPCMessage): void {
    this.#answers.push(answer);
  }

  /** The answer of an expected member; undefined where it was cancelled. */
  settle(answer?: JSONRPCMessage): void {
    if (answer !== undefined) this.add(answer);
    if (--this.#open === 0 && this.#answers.length > 0) this.#write(this.#answers);
  }

  /** Every member has been read. */
  seal(): void {
    this.settle();
  }
}
