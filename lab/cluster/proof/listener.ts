/** Hears the changes of one resource on one stream, for as long as the client lives. */
import type { Client } from "tenon/client";

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Listener {
  readonly uri: string;
  #waiting: Waiter[] = [];
  #failure: unknown;

  private constructor(uri: string) {
    this.uri = uri;
  }

  /** Resolves when the server watches. @throws McpError if it does not */
  static async open(client: Client, uri: string): Promise<Listener> {
    const listener = new Listener(uri);
    const changes = await client.listen({ resources: [uri] });
    void listener.#read(changes);
    return listener;
  }

  /** Resolves with the next change that is heard. Rejects if the stream ends. */
  heard(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#failure === undefined) this.#waiting.push({ resolve, reject });
      else reject(this.#failure as Error);
    });
  }

  async #read(changes: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _ of changes) for (const { resolve } of this.#waiting.splice(0)) resolve();
      this.#failure = new Error("The stream of changes has ended");
    } catch (error) {
      this.#failure = error;
    }
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}
