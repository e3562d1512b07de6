/** Listeners of one channel of an engine. The channel is open while there is one. A message that is missed only makes callers wait longer. */

interface Channel {
  /** Opens the channel. Resolves when messages arrive. */
  readonly open: (tell: (message: string) => void) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

export class ListenerSet {
  readonly #channel: Channel;
  readonly #listeners = new Set<(message: string) => void>();
  #last: Promise<void> = Promise.resolve();

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  /** Resolves when listeners that were added before hear messages. Never rejects. */
  get ready(): Promise<void> {
    return this.#last;
  }

  /** Returns a function that removes the listener. */
  add(listener: (message: string) => void): () => void {
    const own = (message: string): void => listener(message);
    this.#listeners.add(own);
    if (this.#listeners.size === 1) this.#then(() => this.#channel.open((message) => this.#tell(message)));
    return () => {
      if (this.#listeners.delete(own) && this.#listeners.size === 0) this.#then(() => this.#channel.close());
    };
  }

  #tell(message: string): void {
    for (const listener of this.#listeners) listener(message);
  }

  /** Opens and closes one after the other. */
  #then(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch(this.#channel.onError);
  }
}
