/**
 * Which resources a stateful connection is subscribed to for the streams that are open on it.
 *
 * The server counts one subscription a resource, however many streams want it: the first stream subscribes, the last
 * one to close unsubscribes.
 */
interface Watch {
  streams: number;
  readonly subscribed: Promise<unknown>;
}

export class Watches {
  readonly #request: (method: string, params: { uri: string }) => Promise<unknown>;
  readonly #watches = new Map<string, Watch>();

  constructor(request: (method: string, params: { uri: string }) => Promise<unknown>) {
    this.#request = request;
  }

  /** Resolves once the server watches that resource. Each call needs a {@link Watches.remove}, failed ones too. */
  async add(uri: string): Promise<void> {
    const watch = this.#watches.get(uri) ?? { streams: 0, subscribed: this.#request("resources/subscribe", { uri }) };
    this.#watches.set(uri, watch);
    watch.streams++;
    await watch.subscribed;
  }

  async remove(uri: string): Promise<void> {
    const watch = this.#watches.get(uri);
    if (watch === undefined || --watch.streams > 0) return;
    this.#watches.delete(uri);
    await this.#request("resources/unsubscribe", { uri });
  }
}
