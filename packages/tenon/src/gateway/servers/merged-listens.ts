/**
 * Watches resources of a server without sessions on few requests. Such a watch is a request that stays open, and servers bound how many of
 * them a connection may have: one request for each resource would keep out the calls of others.
 *
 * Resources that are watched at the same time share a request. When there are more than a few small requests, one takes their place, and is
 * acknowledged before they end: a change meanwhile may be told twice, and none is missed.
 */
import { ChangeStream } from "../../client/listen/change-stream.ts";
import type { ServerChange } from "../../client/listen/changes.ts";
import type { Client } from "../../client/client.ts";
import { ConnectionClosedError } from "../../jsonrpc/mcp-error.ts";

/** Small requests that may stay open before they become one, and requests that may wait for their acknowledgement. */
const MAX_SMALL = 4;
const MAX_OPENING = 4;
/** The most resources of one request. */
const MAX_URIS = 500;

interface Wanted {
  readonly uri: string;
  readonly stream: ChangeStream;
  readonly resolve: (stream: ChangeStream) => void;
  readonly reject: (error: unknown) => void;
}

/** An open request, and where its changes go, by URI. */
interface OpenRequest {
  readonly changes: ChangeStream;
  streams: Map<string, ChangeStream>;
}

export class MergedListens {
  readonly #listen: (uris: readonly string[]) => Promise<ChangeStream>;
  readonly #open = new Set<OpenRequest>();
  #wanted: Wanted[] = [];
  #opening = 0;
  #isMerging = false;
  /** Half of what the server has refused to watch with one request. */
  #maxMerged = MAX_URIS;

  constructor(client: Pick<Client, "listen">) {
    this.#listen = (uris) => client.listen({ resources: uris });
  }

  /** Resolves with the changes of a resource once the server watches it. @throws (rejects) McpError if it does not */
  listen(uri: string): Promise<ChangeStream> {
    return new Promise((resolve, reject) => {
      const stream = new ChangeStream(() => this.#leave(uri, stream));
      this.#wanted.push({ uri, stream, resolve, reject });
      if (this.#wanted.length === 1) queueMicrotask(() => void this.#openNext()); // with all that the running code adds
    });
  }

  async #openNext(): Promise<void> {
    if (this.#opening === MAX_OPENING || this.#wanted.length === 0) return;
    this.#opening++;
    await this.#send(this.#wanted.splice(0, MAX_URIS));
    this.#opening--;
    void this.#openNext();
    void this.#merge();
  }

  /** Opens one request. A server that refuses several resources is asked again for each half of them: it may know all but one. */
  async #send(wanted: readonly Wanted[]): Promise<void> {
    try {
      const changes = await this.#listen(wanted.map(({ uri }) => uri));
      this.#keep({ changes, streams: new Map(wanted.map(({ uri, stream }) => [uri, stream])) });
      for (const { stream, resolve } of wanted) resolve(stream);
    } catch (error) {
      if (wanted.length === 1 || error instanceof ConnectionClosedError) return wanted.forEach(({ reject }) => reject(error));
      const half = Math.ceil(wanted.length / 2);
      await this.#send(wanted.slice(0, half));
      await this.#send(wanted.slice(half));
    }
  }

  #keep(request: OpenRequest): void {
    this.#open.add(request);
    void this.#read(request);
  }

  async #read(request: OpenRequest): Promise<void> {
    let failure: unknown;
    try {
      for await (const change of request.changes) tell(request, change);
    } catch (error) {
      failure = error;
    }
    this.#open.delete(request);
    for (const stream of request.streams.values()) stream.end(failure);
  }

  /** A resource is watched no more. Its request ends with the last one. */
  async #leave(uri: string, stream: ChangeStream): Promise<void> {
    for (const request of this.#open) {
      if (request.streams.get(uri) !== stream) continue;
      request.streams.delete(uri);
      if (request.streams.size === 0) await request.changes.close();
    }
  }

  // ---- few requests ----

  async #merge(): Promise<void> {
    if (this.#isMerging) return;
    this.#isMerging = true;
    for (let some = this.#mergeable(); some.length > 1; some = this.#mergeable()) await this.#replace(some);
    this.#isMerging = false;
  }

  /** Small requests that fit into one; none if there are few. Those are small of which any two fit. */
  #mergeable(): OpenRequest[] {
    const small = [...this.#open].filter(({ streams }) => streams.size <= this.#maxMerged / 2);
    if (small.length <= MAX_SMALL) return [];
    let size = 0;
    return small
      .toSorted((one, other) => one.streams.size - other.streams.size)
      .filter(({ streams }) => (size += streams.size) <= this.#maxMerged);
  }

  async #replace(some: readonly OpenRequest[]): Promise<void> {
    const streamsOf = (): Map<string, ChangeStream> => new Map(some.flatMap(({ streams }) => [...streams]));
    const uris = [...streamsOf().keys()];
    try {
      const changes = await this.#listen(uris);
      this.#keep({ changes, streams: streamsOf() }); // without those that have left or ended meanwhile
      for (const request of some) request.streams = new Map(); // before it ends, so that its streams do not
      await Promise.all(some.map((request) => request.changes.close()));
    } catch {
      this.#maxMerged = Math.floor(uris.length / 2); // the server's limit is lower, or the connection has ended
    }
  }
}

function tell({ streams }: OpenRequest, change: ServerChange): void {
  if (change.kind !== "resource") return;
  const exact = streams.get(change.uri);
  if (exact !== undefined) return exact.push(change);
  // A server may name a part of the resource that is watched.
  for (const [uri, stream] of streams) if (change.uri.startsWith(uri)) stream.push(change);
}
