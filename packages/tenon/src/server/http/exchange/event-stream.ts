/**
 * An HTTP response that stays open: callers push events, an edge writes them.
 *
 * The buffer is bounded. A slow client delays the senders that await; a client that does not read is cut, so that it never uses more
 * memory than the limit and never delays other streams. The stream does not interpret events.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { unsent } from "../../../base/unsent.ts";
import { encodeMessageEvent, SSE_COMMENT } from "../../../jsonrpc/sse.ts";
import { atEndOfTurn } from "./end-of-turn.ts";

/** The edge's end of a stream. */
export interface StreamSink {
  /** Returns false if the client is behind; `drained()` is called when it has caught up. */
  write(text: string): boolean;
  /** Writes the last text and ends the response normally. */
  end(text: string): void;
  /** Ends the response at once, like a lost connection. */
  cut(): void;
}

/** How much may wait for a client that does not read. */
export interface EventStreamLimits {
  /**
   * Characters that may wait while the client does not read. Default 4 Mi; then the stream is cut. Above half of it, progress and log
   * messages are dropped.
   */
  readonly maxBuffered: number;
  /** Milliseconds a client may read nothing while something waits for it. Default 30 000; then the stream is cut. */
  readonly maxStalled: number;
  /**
   * Characters and bytes that this process may hold for all clients that do not read. Default 256 Mi; then a stream whose client does not
   * read is cut.
   */
  readonly maxUnsent: number;
}

/** Characters from which on text is written before the end of the turn. */
const WRITE_NOW = 65_536;

/** One response that goes on: events are pushed in, an edge writes them out. */
export class EventStream {
  #onEnd: (() => void) | undefined;
  readonly #limits: EventStreamLimits;
  #sink: StreamSink | undefined;
  #buffer = "";
  #scheduled = false;
  #blocked = false;
  /** The part of the buffer that counts as unsent: all of it while the client does not read. */
  #counted = 0;
  #quiet = true;
  #stalledTicks = 0;
  #ending = false;
  #ended = false;
  #draining: Promise<void> | undefined;
  #release: (() => void) | undefined;

  /** Nothing is written before an edge has taken it. */
  constructor(limits: EventStreamLimits) {
    this.#limits = limits;
  }

  /** Whether the stream takes no more text. */
  get ended(): boolean {
    return this.#ended || this.#ending;
  }

  /** Whether so much waits for the client that droppable messages should be dropped. */
  get crowded(): boolean {
    return this.#blocked && this.#buffer.length > this.#limits.maxBuffered / 2;
  }

  /** Resolves when the client has read what waits, or the stream has ended. */
  whenRead(): MaybePromise<void> {
    return this.#blocked ? this.#drain() : undefined;
  }

  /** Calls `listener` when the stream ends, for whatever reason; at once if it has ended. Listeners run in the order they were added. */
  whenEnded(listener: () => void): void {
    if (this.#ended) return listener();
    const before = this.#onEnd;
    this.#onEnd = before === undefined ? listener : (): void => (before(), listener());
  }

  /** Sends one JSON-RPC message. Returns a promise if the client is behind. */
  send(data: string, id?: string): MaybePromise<void> {
    return this.write(encodeMessageEvent(data, id));
  }

  /** Sends text in the event stream format. The first text of a turn is written at once, the rest of the turn together. */
  write(text: string): MaybePromise<void> {
    if (this.ended) return undefined;
    this.#buffer += text;
    this.#quiet = false;
    // Before an edge is attached, the buffer holds the events of one turn, or one replay from the event store.
    if (this.#sink === undefined) return undefined;
    if (this.#blocked) {
      this.#count(this.#buffer.length);
      if (this.#buffer.length > this.#limits.maxBuffered || unsent.size > this.#limits.maxUnsent) return this.cut();
    } else if (!this.#scheduled) {
      this.#scheduled = true;
      atEndOfTurn(this);
      this.#flush();
    } else if (this.#buffer.length >= WRITE_NOW) this.#flush();
    return this.whenRead();
  }

  #count(size: number): void {
    unsent.size += size - this.#counted;
    this.#counted = size;
  }

  /** @internal Called at the end of the turn. */
  turnEnded(): void {
    this.#scheduled = false;
    this.writeNow();
  }

  /** Writes what waits for the end of the turn, unless the client is behind. */
  writeNow(): void {
    if (!this.#blocked && this.#buffer !== "" && this.#sink !== undefined) this.#flush();
  }

  /** One promise for all senders. */
  #drain(): Promise<void> {
    return (this.#draining ??= new Promise((resolve) => {
      this.#release = resolve;
    }));
  }

  #flush(): void {
    const text = this.#buffer;
    this.#buffer = "";
    this.#count(0);
    if (this.#ending) return this.#finish(text);
    this.#blocked = !this.#sink!.write(text);
  }

  /** Ends the response, after a last message if there is one. */
  end(data?: string, id?: string): void {
    if (this.ended) return;
    if (data !== undefined) this.#buffer += encodeMessageEvent(data, id);
    this.#ending = true;
    if (this.#blocked) this.#count(this.#buffer.length);
    else if (this.#sink !== undefined) this.#flush();
  }

  #finish(text: string): void {
    const sink = this.#sink!;
    this.#close();
    sink.end(text);
  }

  /** Ends the response at once. The buffer is lost to this connection. */
  cut(): void {
    if (this.#ended) return;
    const sink = this.#sink;
    this.#close();
    sink?.cut();
  }

  /** Called by the heartbeat: keeps a quiet connection open, and cuts one whose client has read nothing for `maxStalled`. */
  beat(ms: number): void {
    if (this.#ended || this.#sink === undefined) return;
    if (this.#blocked) {
      this.#stalledTicks += ms;
      if (this.#stalledTicks >= this.#limits.maxStalled) this.cut();
    } else if (this.#quiet) this.#blocked = !this.#sink.write(SSE_COMMENT);
    this.#quiet = true;
  }

  // ---- what the edge tells ----

  /** The response has begun. */
  attach(sink: StreamSink): void {
    if (this.#ended) return sink.cut();
    this.#sink = sink;
    if (this.#buffer !== "" || this.#ending) this.#flush();
  }

  /** The client has read some of what was written. */
  progressed(): void {
    this.#stalledTicks = 0;
  }

  /** The client has read what was written. */
  drained(): void {
    this.#blocked = false;
    this.#stalledTicks = 0;
    if (this.#ended) return;
    if (this.#buffer !== "" || this.#ending) this.#flush();
    if (!this.#blocked) this.#goOn();
  }

  /** The client is gone. */
  gone(): void {
    if (!this.#ended) this.#close();
  }

  #close(): void {
    this.#ended = true;
    this.#buffer = "";
    this.#count(0);
    this.#sink = undefined;
    this.#goOn();
    this.#onEnd?.();
  }

  #goOn(): void {
    const release = this.#release;
    this.#draining = undefined;
    this.#release = undefined;
    release?.();
  }
}
