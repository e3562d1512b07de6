/**
 * Listeners of one channel of an engine. The channel is open while there is one.
 *
 * A message that is missed only makes callers wait longer, so a channel that cannot be opened is no failure: it is tried again later.
 */
import { waits, type Waits } from "../base/waits.ts";
import { unref } from "../base/clock.ts";

interface Channel {
  /** Opens the channel. Resolves when messages arrive. */
  readonly open: (tell: (message: string) => void) => Promise<void>;
  readonly close: () => Promise<void>;
  /** Whether the connection was closed for good. */
  readonly isClosed: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** The waits before a channel is opened again, in milliseconds. */
const WAITS = { first: 50, longest: 2_000 };

export class ListenerSet {
  readonly #channel: Channel;
  readonly #listeners = new Set<(message: string) => void>();
  #last: Promise<void> = Promise.resolve();

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Resolves when the channel is open, or its first attempt has failed. Never rejects. */
  get ready(): Promise<void> {
    return this.#last;
  }

  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Returns a function that removes the listener. */
  add(listener: (message: string) => void): () => void {
    const own = (message: string): void => listener(message);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#then(() => this.#open(waits(WAITS)));
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#then(() => this.#channel.close());
    };
  }

  async #open(pauses: Waits): Promise<void> {
    if (this.#listeners.size === 0 || this.#channel.isClosed()) return;
    try {
      await this.#channel.open((message) => this.#tell(message));
    } catch (error) {
      unref(setTimeout(() => this.#then(() => this.#open(pauses)), pauses.next()));
      throw error;
    }
  }

  #tell(message: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (error) {
        this.#channel.onError(error);
      }
    }
  }

  /** Opens and closes one after the other. A connection that was closed for good ends both, as its owner wanted. */
  #then(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      if (!this.#channel.isClosed()) this.#channel.onError(error);
    });
  }
}
