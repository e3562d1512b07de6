/**
 * The response to the GET of a session at this node: messages that belong to no request, which any node adds to the log, and changes of
 * lists and resources, which all sessions read from one log.
 *
 * An event id is `<stream>.<message>-<change>`: the client resumes both where it was. Both parts only grow.
 */
import { Repeating } from "../../../base/clock.ts";
import { jsonIn } from "../../../jsonrpc/parse-json.ts";
import { OneAtATime } from "../../../base/one-at-a-time.ts";
import { DamagedEntryError } from "../../../storage/damaged-entry.ts";
import { McpError } from "../../../jsonrpc/mcp-error.ts";
import { encodeMessageEvent, encodeSseEvent } from "../../../jsonrpc/sse.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { isStoreUnavailable } from "../refusals.ts";
import type { Delivery } from "./change-log.ts";
import { textOf, type Cursor } from "./get-entry.ts";
import type { Nodes } from "./nodes.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

export interface GetStreamOptions {
  readonly nodes: Nodes;
  readonly session: string;
  readonly dispatcher: Dispatcher;
  /** The name of the stream in the log. */
  readonly stream: string;
  readonly body: EventStream;
  readonly cursor: Cursor;
  readonly retry: number | undefined;
  /** Keeps where the client is, for a GET that does not say it. */
  readonly save: (cursor: Cursor) => Promise<void>;
}

/** Milliseconds between two looks at the log without a hint. */
const LOOK_MS = 3_000;
const PAGE = 256;

export class GetStream {
  readonly #options: GetStreamOptions;
  #message: number;
  #change: number;
  /** Whether all changes up to now were sent, so that new ones are sent as they come. */
  #caughtUp = false;
  /** The cursor as it was saved last. */
  #saved: string | undefined;
  #handedOver = false;
  readonly #looking = new OneAtATime(() => this.#look());
  readonly #looks: Repeating;

  constructor(options: GetStreamOptions) {
    this.#options = options;
    this.#looks = new Repeating(options.nodes.serving.clock, LOOK_MS, () => {
      this.look();
      return true;
    });
    this.#message = options.cursor.message;
    this.#change = options.cursor.change;
  }

  get body(): EventStream {
    return this.#options.body;
  }

  get cursor(): Cursor {
    const { changes } = this.#options.nodes;
    return { message: this.#message, change: this.#caughtUp ? changes.position : this.#change };
  }

  get #eventId(): string {
    return `${this.#options.stream}.${textOf(this.cursor)}`;
  }

  /** Sends what the client has missed, then new messages as they come. */
  begin(): void {
    const { body, retry } = this.#options;
    this.#saved = this.#eventId;
    if (retry !== undefined) void body.write(encodeSseEvent({ id: this.#eventId, retry, data: "" }));
    body.whenEnded(() => this.#ended());
    this.#looks.start();
    this.look();
  }

  /** Reads what is new. */
  look(): void {
    this.#looking.run();
  }

  async #look(): Promise<void> {
    const { body, nodes } = this.#options;
    if (body.ended) return;
    try {
      await this.#sendMessages();
      await this.#sendChanges();
      if (!body.ended && this.#saved !== this.#eventId) await this.#save();
    } catch (error) {
      if (McpError.isMcpError(error) && isStoreUnavailable(error)) return; // the next look tries again
      nodes.serving.report(error);
      body.cut();
    }
  }

  async #sendMessages(): Promise<void> {
    const { nodes, session, stream, body } = this.#options;
    for (;;) {
      const page = await nodes.stores.events.read({ session, stream }, this.#message, PAGE);
      if (body.ended) return; // what is not sent must not count as sent
      if (page === "unknown") {
        if (this.#message === 0 || (await nodes.stores.events.read({ session, stream }, 0, 0)) === "unknown") return;
        this.#message = 0; // the engine has lost the messages, and there are new ones
        continue;
      }
      if (page === "evicted") return body.cut(); // the client resumes, and gets an error
      for (const { number, data } of page.events) {
        this.#message = number;
        if (jsonIn(data) !== undefined) void body.write(encodeMessageEvent(data, this.#eventId));
        else nodes.serving.report(new DamagedEntryError("An event of a stream", "is not JSON"));
      }
      if (page.events.length === 0 || this.#message >= page.last || body.ended) return;
      await body.whenRead();
    }
  }

  /** Sends the changes that came before this response. Later ones are sent by {@link sendChange}. */
  async #sendChanges(): Promise<void> {
    const { changes } = this.#options.nodes;
    while (!this.#caughtUp) {
      this.#change = await changes.replay(this.#change, this.#options.dispatcher);
      // What was replayed must not come again: this node delivers it to all sessions before this one is among them.
      if (this.#change > changes.position) await changes.catchUp();
      if (this.#change > changes.position) return; // the next look tries again
      // No `await` may come between the last comparison and the mark.
      this.#caughtUp = this.#change === changes.position;
    }
  }

  /** Sends the change that is being delivered. The replay of earlier changes contains what is delivered to all before it has ended. */
  sendChange(data: string, { number, only }: Delivery): void {
    if (this.#caughtUp === (only !== undefined)) return;
    if (!this.#caughtUp) this.#change = number;
    void this.#options.body.write(encodeMessageEvent(data, this.#eventId));
  }

  /** Tells the client that anything may have changed. */
  sendEverything(): void {
    const { nodes, dispatcher } = this.#options;
    if (this.body.ended) return;
    if (this.#caughtUp) {
      this.#change = nodes.changes.position;
      this.#caughtUp = false; // until the next look, because this change is for this client only
    }
    nodes.changes.deliverEverything(dispatcher);
  }

  // ---- the end ----

  async #save(): Promise<void> {
    this.#saved = this.#eventId;
    await this.#options.save(this.cursor);
  }

  /** Ends the response, because a newer GET has the rest. */
  handOver(): void {
    this.#handedOver = true;
    this.body.end();
  }

  #ended(): void {
    const { nodes } = this.#options;
    this.#looks.stop();
    if (this.#handedOver) return;
    retryWhileUnavailable(nodes, () => this.#options.save(this.cursor)).catch((error: unknown) => {
      if (!nodes.left.aborted) nodes.serving.report(error);
    });
  }
}
