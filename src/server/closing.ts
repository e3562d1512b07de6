/**
 * The end of a server, told to whoever waits for it: open `subscriptions/listen` streams, by the thousand.
 *
 * Not an `AbortSignal`: those are made for a few listeners, and warn of a leak from the eleventh on.
 */
export class Closing {
  readonly #listeners = new Set<() => void>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** Calls `listener` when the server closes; never where it has. Returns how to stop. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells everybody, once. */
  close(): void {
    this.#closed = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}
