/**
 * Watches the lists of a server for changes, for as long as there is a connection to it.
 *
 * If a server ends the stream, it is opened again, and all lists count as changed. A server that refuses to be watched
 * stays in the group with the lists it had.
 */
import type { ChangeStream } from "../../client/listen/change-stream.ts";
import type { ListenFilter, ServerChange } from "../../client/listen/changes.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { Backoff } from "../../base/backoff.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import type { Listen } from "../group-session.ts";

/** Milliseconds after which a stream counts as stable. */
const STEADY = 10_000;

export type ListCapability = Exclude<ServerChange["kind"], "resource">;

export interface WatchEvents {
  onChange(list: ListCapability): void;
  /** Called when the server can no longer be watched, because it is gone or misbehaves. */
  onLost(error: unknown): void;
  /** Called when the server refuses to be watched. */
  onRefused(error: unknown): void;
}

export interface WatchOptions {
  readonly capabilities: ServerCapabilities;
  readonly clock: Clock;
  readonly events: WatchEvents;
}

export class Watch {
  /** Resolves once the server watches or has refused. */
  readonly ready: Promise<void>;
  /** Whether {@link Watch.ready} has resolved. */
  isReady = false;
  /** The lists whose changes the server announces. */
  readonly lists: readonly ListCapability[];
  readonly #open: Listen;
  readonly #clock: Clock;
  readonly #events: WatchEvents;
  readonly #ended = new AbortController();
  #stream: ChangeStream | undefined;

  constructor(listen: Listen, { capabilities, clock, events }: WatchOptions) {
    this.#open = listen;
    this.#clock = clock;
    this.#events = events;
    const { tools, prompts, resources } = capabilities;
    const declared = { tools, prompts, resources };
    this.lists = (Object.keys(declared) as ListCapability[]).filter((list) => declared[list]?.listChanged === true); // the keys are those three
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
      if (!this.#ended.signal.aborted) this.#events.onRefused(error);
    }
  }

  async #keep(first: ChangeStream): Promise<void> {
    const backoff = new Backoff();
    try {
      for (let stream = first; ; stream = await this.#listenAgain()) {
        const begin = this.#clock.now();
        for await (const change of stream) this.#tell(change);
        if (this.#ended.signal.aborted) return;
        if (this.#clock.now() - begin >= STEADY) backoff.progressed();
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
