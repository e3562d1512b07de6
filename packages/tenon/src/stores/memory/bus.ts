/** A bus inside one process: see `Bus`. It loses nothing, but a message of an ended subscription is dropped. */
import type { Bus } from "../../storage/bus.ts";
import { assertMessage, assertTopic } from "../../storage/limits.ts";

export class MemoryBus implements Bus {
  readonly maxMessage: number = 2 ** 20;
  readonly #topics = new Map<string, Set<(message: string) => void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Listeners run after the caller's turn, as they do on a bus between processes. */
  publish(topic: string, message: string): void {
    assertTopic(topic);
    assertMessage(message, this.maxMessage);
    if (this.#topics.has(topic)) queueMicrotask(() => this.#deliver(topic, message));
  }

  #deliver(topic: string, message: string): void {
    for (const listener of this.#topics.get(topic) ?? []) {
      try {
        listener(message);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  subscribe(topic: string, listener: (message: string) => void): () => void {
    assertTopic(topic);
    const own = (message: string): void => listener(message);
    const listeners = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listeners.add(own));
    return () => {
      if (listeners.delete(own) && listeners.size === 0 && this.#topics.get(topic) === listeners) this.#topics.delete(topic);
    };
  }

  /** Nothing is ever missed. */
  onGap(): () => void {
    return () => undefined;
  }
}
