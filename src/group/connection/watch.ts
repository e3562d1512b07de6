/**
 * Hears that the lists of a server have changed, for as long as there is a connection to it.
 *
 * A server that ends the stream is asked again, and what may have been missed counts as having changed. One that does
 * not let itself be watched at all stays in the group with the lists it had.
 */
import type { ChangeStream } from "../../client/listen/change-stream.ts";
import type { ListenFilter, ServerChange } from "../../client/listen/changes.ts";
import { sleep, type Clock } from "../../base/clock.ts";
import { ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { Backoff } from "../../base/backoff.ts";
import type { ServerCapabilities } from "../../protocol/capabilities.ts";
import type { Listen } from "../group-session.ts";

/** A stream that held this long, in ms, did not flap. */
const STEADY = 10_000;

export type ListCapability = Exclude<ServerChange["kind"], "resource">;

export interface WatchEvents {
  onChange(list: ListCapability): void;
  /** The server was watched and cannot be any more: it is not there, or not of use. */
  onLost(error: unknown): void;
  /** The server cannot be watched. */
  onRefused(error: unknown): void;
}

export interface WatchOptions {
  readonly capabilities: ServerCapabilities;
  readonly clock: Clock;
  readonly events: WatchEvents;
}

export class Watch {
  /** Resolves once the server watches, or it is clear that it will not. */
  readonly ready: Promise<void>;
  /** Whether {@link Watch.ready} has resolved. */
  isReady = false;
  /** What the server says it tells the changes of. */
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
    this.lists = (Object.keys(declared) as ListCapability[]).filter((list) => declared[list]?.listChanged === true); // its three keys
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
