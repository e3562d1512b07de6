/**
 * The resources of one server that the user watches, across its connections.
 *
 * Each has its own stream, on every revision. A new connection opens the streams again, and announces that each resource
 * may have changed.
 */
import type { ChangeStream } from "../../client/listen/change-stream.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import type { GroupConnection } from "./group-connection.ts";

/** One resource that is watched. */
interface WatchedResource {
  /** Settles when the first stream is open or refused. */
  readonly opened: Promise<void>;
  /** Undefined while there is no connection. */
  stream?: ChangeStream | undefined;
}

export class ResourceWatches {
  readonly #onChange: (uri: string) => void;
  readonly #onError: (error: unknown) => void;
  readonly #watched = new Map<string, WatchedResource>();
  #connection: GroupConnection | undefined;

  /** @param onError called if a resource cannot be watched any more */
  constructor(onChange: (uri: string) => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Resolves once the server watches it. @throws McpError if it does not */
  add(connection: GroupConnection, uri: string): Promise<void> {
    let watched = this.#watched.get(uri);
    if (watched === undefined) {
      watched = { opened: this.#open(connection, uri) };
      this.#watched.set(uri, watched);
      watched.opened.catch(() => this.#watched.delete(uri));
    }
    return watched.opened;
  }

  async remove(uri: string): Promise<void> {
    const watched = this.#watched.get(uri);
    this.#watched.delete(uri);
    await watched?.stream?.close();
  }

  /** Watches all resources on a new connection. */
  attach(connection: GroupConnection): void {
    this.#connection = connection;
    for (const uri of this.#watched.keys()) this.#open(connection, uri).then(() => this.#onChange(uri), this.#onError);
    // Detaches before the streams end, so that each of them does not report it.
    void connection.session.closed.then(() => {
      if (this.#connection === connection) this.detach();
    });
  }

  /** Closes all streams, because the connection is gone. */
  detach(): void {
    this.#connection = undefined;
    for (const watched of this.#watched.values()) {
      const { stream } = watched;
      watched.stream = undefined;
      stream?.close().catch(this.#onError); // the session may go on without the group
    }
  }

  async #open(connection: GroupConnection, uri: string): Promise<void> {
    const stream = await connection.listen({ resources: [uri] });
    const watched = this.#watched.get(uri);
    if (this.#connection !== connection || watched === undefined) return stream.close();
    watched.stream = stream;
    void this.#follow(stream, watched, uri);
  }

  async #follow(stream: ChangeStream, watched: WatchedResource, uri: string): Promise<void> {
    let ended: unknown = new ProtocolViolationError(`The server does not watch ${JSON.stringify(uri)} any more`);
    try {
      for await (const _change of stream) this.#onChange(uri);
    } catch (error) {
      ended = error;
    }
    if (watched.stream === stream) this.#onError(ended);
  }
}
