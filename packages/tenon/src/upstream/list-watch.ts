/**
 * Notices that the lists of a server have changed, on every revision, for as long as its connection is open.
 *
 * On a revision with sessions a notice comes unasked, and is believed whatever the server has declared. On others the server is asked for the
 * notices that it promises. If it ends that stream, the stream is opened again, and all lists count as changed.
 */
import type { ChangeStream } from "../client/listen/change-stream.ts";
import type { ListenFilter, ServerChange } from "../client/listen/changes.ts";
import { sleep, type Clock } from "../base/clock.ts";
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";
import { statusOf } from "../client/http/errors.ts";
import { Backoff } from "../client/http/session/resumption.ts";
import { LISTS, unpromised, type ListName } from "./listing.ts";
import type { GroupSession, Listen } from "./session.ts";

export interface WatchEvents {
  onChange(list: ListName): void;
  /** Called when the server can no longer be watched, because it is gone or misbehaves. */
  onLost(error: unknown): void;
  /** Called when the server refuses to be watched. @param error undefined if it says that it announces nothing, which is no fault */
  onRefused(lists: readonly ListName[], error: unknown): void;
}

/** Servers promise notices in their capabilities, and do not have the request for them: by its name, or by HTTP as for a GET stream. */
function announcesNothing(error: unknown): boolean {
  return McpError.isMcpError(error) && (error.code === ErrorCode.MethodNotFound || [404, 405, 501].includes(statusOf(error) ?? 0));
}

/** The lists whose changes can be noticed on a session. */
export function watchableLists({ connection, serverCapabilities }: GroupSession): readonly ListName[] {
  const all = LISTS.filter((list) => serverCapabilities[list] !== undefined);
  if (!connection.codec.stateless) return all;
  const silent = unpromised(serverCapabilities);
  return all.filter((list) => !silent.includes(list));
}

export class ListWatch {
  /** Resolves once the server watches or has refused. */
  readonly ready: Promise<void>;
  /** Whether {@link ListWatch.ready} has resolved. */
  isReady = false;
  readonly lists: readonly ListName[];
  readonly #open: Listen;
  readonly #clock: Clock;
  readonly #events: WatchEvents;
  readonly #ended = new AbortController();
  #stream: ChangeStream | undefined;

  constructor(
    listen: Listen,
    { lists, clock, events }: { readonly lists: readonly ListName[]; readonly clock: Clock; readonly events: WatchEvents },
  ) {
    this.#open = listen;
    this.#clock = clock;
    this.#events = events;
    this.lists = lists;
    this.ready = (this.lists.length === 0 ? Promise.resolve() : this.#begin()).then(() => void (this.isReady = true));
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#stream?.close();
  }

  async #begin(): Promise<void> {
    try {
      this.#stream = await this.#listen();
      void this.#keep(this.#stream);
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#events.onRefused(this.lists, announcesNothing(error) ? undefined : error);
    }
  }

  async #keep(first: ChangeStream): Promise<void> {
    const backoff = new Backoff();
    try {
      for (let stream = first; ; stream = await this.#listenAgain()) {
        const begin = this.#clock.now();
        for await (const change of stream) this.#tell(change);
        if (this.#ended.signal.aborted) return;
        backoff.lasted(this.#clock.now() - begin);
        const wait = backoff.next();
        if (wait === undefined) throw new ProtocolViolationError("The server keeps ending the stream that tells of changes");
        await sleep(this.#clock, wait, this.#ended.signal);
      }
    } catch (error) {
      if (!this.#ended.signal.aborted) this.#events.onLost(error);
    }
  }

  async #listenAgain(): Promise<ChangeStream> {
    const stream = await this.#listen();
    for (const list of this.lists) this.#events.onChange(list);
    return stream;
  }

  async #listen(): Promise<ChangeStream> {
    const filter: ListenFilter = {};
    for (const list of this.lists) filter[list] = true;
    const stream = await this.#open(filter);
    this.#stream = stream;
    if (this.#ended.signal.aborted) await stream.close();
    return stream;
  }

  #tell(change: ServerChange): void {
    if (change.kind !== "resource") this.#events.onChange(change.kind);
  }
}
