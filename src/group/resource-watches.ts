/**
 * The single resources of one server that somebody watches, across its connections.
 *
 * Each has a stream of its own, on every revision. A new connection opens them again, and says of each resource that it
 * may have changed in between.
 */
import type { ChangeStream } from "../client/changes.ts";
import { ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import type { GroupSession } from "./session.ts";

export class ResourceWatches {
  readonly #onChange: (uri: string) => void;
  readonly #onError: (error: unknown) => void;
  /** The stream of each resource; undefined while there is no connection. */
  readonly #streams = new Map<string, ChangeStream | undefined>();
  #session: GroupSession | undefined;

  /** @param onError told where a resource cannot be watched any more, or again */
  constructor(onChange: (uri: string) => void, onError: (error: unknown) => void) {
    this.#onChange = onChange;
    this.#onError = onError;
  }

  /** Resolves once the server watches it. @throws McpError where it does not */
  async add(session: GroupSession, uri: string): Promise<void> {
    if (this.#streams.has(uri)) return;
    this.#streams.set(uri, undefined);
    try {
      await this.#open(session, uri);
    } catch (error) {
      this.#streams.delete(uri);
      throw error;
    }
  }

  async remove(uri: string): Promise<void> {
    const stream = this.#streams.get(uri);
    this.#streams.delete(uri);
    await stream?.close();
  }

  /** There is a new connection. */
  attach(session: GroupSession): void {
    this.#session = session;
    for (const uri of this.#streams.keys()) this.#open(session, uri).then(() => this.#onChange(uri), this.#onError);
    // Before the streams notice, so that each of them does not tell of it.
    void session.closed.then(() => {
      if (this.#session === session) this.detach();
    });
  }

  /** The connection is gone. */
  detach(): void {
    this.#session = undefined;
    for (const uri of this.#streams.keys()) this.#streams.set(uri, undefined);
  }

  async #open(session: GroupSession, uri: string): Promise<void> {
    const stream = await session.listen({ resources: [uri] });
    if (this.#session !== session || !this.#streams.has(uri)) return stream.close();
    this.#streams.set(uri, stream);
    void this.#follow(stream, uri);
  }

  async #follow(stream: ChangeStream, uri: string): Promise<void> {
    let ended: unknown = new ProtocolViolationError(`The server does not watch ${JSON.stringify(uri)} any more`);
    try {
      for await (const _change of stream) this.#onChange(uri);
    } catch (error) {
      ended = error;
    }
    if (this.#streams.get(uri) === stream) this.#onError(ended);
  }
}
