/**
 * Watches resources of one server for many callers: the first caller of a URI makes the server watch it, the last one ends that.
 *
 * After a lost connection all of them are watched again, and each caller hears that its resource may have changed. The same happens, with
 * pauses, if a server ends a watch while the connection goes on.
 */
import { Backoff, MAX_WAIT } from "../client/http/session/resumption.ts";
import { unref, type Clock } from "../base/clock.ts";
import { ConnectionClosedError, ConnectionLostError } from "../jsonrpc/mcp-error.ts";

interface Stream extends AsyncIterable<unknown> {
  close(): Promise<void>;
}

interface Watched {
  readonly callers: Set<() => void>;
  readonly backoff: Backoff;
  stream: Promise<Stream>;
}

export interface ResourceWatchOptions {
  readonly clock: Clock;
  /** Makes the server watch. @throws McpError if it does not */
  readonly listen: (uri: string) => Promise<Stream>;
  readonly report: (error: unknown) => void;
}

export class ResourceWatch {
  readonly #options: ResourceWatchOptions;
  readonly #watched = new Map<string, Watched>();

  constructor(options: ResourceWatchOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  /** Resolves once the server watches. @throws McpError if it does not */
  async add(uri: string, updated: () => void): Promise<() => void> {
    const caller = (): void => updated(); // its own identity: one function may watch twice
    let watched = this.#watched.get(uri);
    if (watched === undefined) {
      watched = { callers: new Set(), backoff: new Backoff(), stream: this.#options.listen(uri) };
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

  /** Watches nothing any more, and tries nothing again: there will be no other connection. */
  close(): void {
    this.#watched.clear();
  }

  /** Ends the watches on a connection that is given up, until {@link reopen}. The session may go on without them. */
  detach(): void {
    for (const watched of this.#watched.values()) {
      const { stream } = watched;
      watched.stream = Promise.reject(new ConnectionClosedError());
      watched.stream.catch(() => undefined); // those who wait for it get the reason
      stream.then((open) => open.close()).catch(() => undefined); // it failed, or its connection has ended
    }
  }

  /** Watches all of them on a new connection. */
  reopen(): void {
    for (const [uri, watched] of this.#watched) this.#watchAgain(uri, watched);
  }

  #watchAgain(uri: string, watched: Watched): void {
    watched.stream = this.#options.listen(uri);
    this.#follow(uri, watched);
    watched.stream.then(() => this.#tell(watched), this.#options.report);
  }

  #follow(uri: string, watched: Watched): void {
    const { stream } = watched;
    const begin = this.#options.clock.now();
    void this.#read(stream, watched).then((goesOn) => {
      if (this.#watched.get(uri) !== watched || watched.stream !== stream) return;
      if (watched.callers.size === 0) this.#watched.delete(uri);
      else if (goesOn) this.#watchLater(uri, watched, begin);
    });
  }

  /** Reads a stream to its end. Resolves with whether the connection goes on: another one begins another stream by `reopen`. */
  async #read(stream: Promise<Stream>, watched: Watched): Promise<boolean> {
    try {
      for await (const _change of await stream) this.#tell(watched);
      return true;
    } catch (error) {
      // Those who wait for the first stream get its failure.
      return !(error instanceof ConnectionClosedError) || error instanceof ConnectionLostError;
    }
  }

  #watchLater(uri: string, watched: Watched, begin: number): void {
    const { clock } = this.#options;
    const { stream, backoff } = watched;
    backoff.lasted(clock.now() - begin);
    const timer = clock.setTimer(backoff.next() ?? MAX_WAIT, () => {
      if (this.#watched.get(uri) === watched && watched.stream === stream) this.#watchAgain(uri, watched);
    });
    unref(timer);
  }

  #tell({ callers }: Watched): void {
    for (const updated of callers) updated();
  }
}
