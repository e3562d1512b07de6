/**
 * Watches resources of one server for many callers: the first caller of a URI makes the server watch it, the last one ends that.
 *
 * After a lost connection all of them are watched again, and each caller hears that its resource may have changed.
 */
interface Stream extends AsyncIterable<unknown> {
  close(): Promise<void>;
}

interface Watched {
  readonly callers: Set<() => void>;
  stream: Promise<Stream>;
}

export class ResourceWatch {
  readonly #listen: (uri: string) => Promise<Stream>;
  readonly #report: (error: unknown) => void;
  readonly #watched = new Map<string, Watched>();

  constructor(listen: (uri: string) => Promise<Stream>, report: (error: unknown) => void) {
    this.#listen = listen;
    this.#report = report;
  }

  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  /** Resolves once the server watches. @throws McpError if it does not */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const caller = (): void => updated(); // its own identity: one function may watch twice
    let watched = this.#watched.get(uri);
    if (watched === undefined) {
      watched = { callers: new Set(), stream: this.#listen(uri) };
      this.#watched.set(uri, watched);
      this.#follow(uri, watched);
    }
    watched.callers.add(caller);
    const stop = (): void => this.#remove(uri, caller);
    try {
      await watched.stream;
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  #remove(uri: string, caller: () => void): void {
    const watched = this.#watched.get(uri);
    if (watched?.callers.delete(caller) !== true || watched.callers.size > 0) return;
    this.#watched.delete(uri);
    watched.stream.then((stream) => stream.close()).catch(() => undefined); // its failure was told to those who waited for it
  }

  /** Watches all of them on a new connection. */
  reopen(): void {
    for (const [uri, watched] of this.#watched) {
      watched.stream = this.#listen(uri);
      this.#follow(uri, watched);
      watched.stream.then(() => this.#tell(watched), this.#report);
    }
  }

  #follow(uri: string, watched: Watched): void {
    const { stream } = watched;
    void (async () => {
      try {
        for await (const _change of await stream) this.#tell(watched);
      } catch {
        // The connection is gone: `reopen` is called when there is another. A first refusal is thrown by `add`.
      }
      if (this.#watched.get(uri) === watched && watched.callers.size === 0) this.#watched.delete(uri);
    })();
  }

  #tell({ callers }: Watched): void {
    for (const updated of callers) updated();
  }
}
