/**
 * The interface of buses: short messages between nodes.
 *
 * A message arrives once or not at all, and nothing is kept. So it is a hint: what must not be lost is in a store, and the receiver also
 * looks there by itself from time to time.
 */
import type { MaybePromise } from "../base/maybe-promise.ts";

/** Publishes messages by topic to all nodes that subscribed. Messages of one publisher on one topic arrive in order. */
export interface Bus {
  /** UTF-8 bytes of the longest message. */
  readonly maxMessage: number;
  /** Hands a message over. Says nothing about whether it arrives. @throws LimitExceededError if it is longer than `maxMessage`; TypeError if it has U+0000 or half of a surrogate pair */
  publish(topic: string, message: string): MaybePromise<void>;
  /** Resolves when messages arrive, with a function that ends that. Topics are 1 to 64 letters, digits, `.`, `-` and `_`. */
  subscribe(topic: string, listener: (message: string) => void): MaybePromise<() => void>;
  /** Calls the listener when messages may have been missed, for example after a lost connection. Returns a function that removes it. */
  onGap(listener: () => void): () => void;
}
