/**
 * The GET of a session at this node: adds its messages to the log, and opens, resumes and ends the response. `held-get.ts` decides with the
 * other nodes which GET has the messages.
 */
import { randomId } from "../../../base/bytes.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { ConnectionClosedError } from "../../../jsonrpc/mcp-error.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { HttpRequest } from "../http-message.ts";
import type { Opened, StandingStream, StreamsOwner } from "../sessions/streams.ts";
import type { Nodes } from "./nodes.ts";
import { cursorOf, GetEntry, type Cursor } from "./get-entry.ts";
import { GetStream } from "./get-stream.ts";
import { HeldGet, topicOf, type StreamedSession } from "./held-get.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";

/** An event id of a GET stream: the name of the stream, and the cursor. */
const GET_EVENT_ID = /^([\w-]{22})\.(\d{1,15}-\d{1,15})$/;

export class GetHolder implements StandingStream {
  /** The stream of the newest GET at this node, if there is one. */
  #stream: GetStream | undefined;
  readonly #nodes: Nodes;
  readonly #session: StreamedSession;
  readonly #owner: StreamsOwner;
  readonly #entry: GetEntry;
  #closed = false;

  constructor(nodes: Nodes, session: StreamedSession, owner: StreamsOwner) {
    this.#nodes = nodes;
    this.#session = session;
    this.#owner = owner;
    this.#entry = new GetEntry(nodes.stores.keyed, session.id);
  }

  // ---- messages ----

  send(data: string): MaybePromise<void> {
    const { delivering } = this.#nodes.changes;
    return delivering === undefined ? this.#add(data) : this.#stream?.sendChange(data, delivering);
  }

  async #add(data: string): Promise<void> {
    const { events } = this.#nodes.stores;
    const { id: session, life, record } = this.#session;
    const addition = { key: randomId(), data: [data], ms: life };
    const last = await retryWhileUnavailable(this.#nodes, () => events.add({ session, stream: record.stream }, addition));
    if (last === "gone") throw new ConnectionClosedError("The session has ended");
    await this.#nodes.stores.bus.publish(topicOf(session), "message");
  }

  // ---- a GET ----

  open(_request: HttpRequest, lastEventId: string | undefined): Promise<Opened> | undefined {
    if (lastEventId === undefined) return this.#open();
    const [, stream, cursor = ""] = GET_EVENT_ID.exec(lastEventId) ?? [];
    return stream === this.#session.record.stream ? this.#open(cursorOf(cursor)) : undefined;
  }

  /** @param resumed where its client is, if it says so @throws StoreUnavailableError */
  async #open(resumed?: Cursor): Promise<EventStream | "ended"> {
    const held = new HeldGet(this.#nodes, this.#session, this.#entry);
    const stop = await held.listen();
    try {
      const cursor = await held.takeOver(resumed);
      // This node may not have heard yet what the client has subscribed to at another one, and changes of it are sent now.
      if (await this.#hasEnded()) {
        stop();
        return "ended";
      }
      if (this.#closed) throw new ConnectionClosedError("The node has closed the session meanwhile");
      const { body } = this.#begin(held, cursor);
      body.whenEnded(stop);
      return body;
    } catch (error) {
      stop();
      throw error;
    }
  }

  /** Whether the client has ended the session. Then what was written meanwhile is removed again. */
  async #hasEnded(): Promise<boolean> {
    let wasClosed: boolean;
    do {
      wasClosed = this.#closed;
      if ((await this.#session.readAgain()) === "ended") {
        await this.#entry.remove();
        return true;
      }
    } while (this.#closed !== wasClosed);
    return false;
  }

  #begin(held: HeldGet, cursor: Cursor): GetStream {
    const { retry, dispatcher } = this.#owner;
    const body = this.#owner.openBody();
    const { id: session, record } = this.#session;
    const save = async (at: Cursor): Promise<void> => {
      if ((await held.save(at)) && body.ended) await this.#hasEnded();
    };
    const stream = new GetStream({ nodes: this.#nodes, session, dispatcher, stream: record.stream, body, cursor, retry, save });
    this.#stream = stream;
    const stopGaps = this.#nodes.stores.bus.onGap(() => void this.#lookAfterGap(stream));
    body.whenEnded(() => {
      stopGaps();
      if (this.#stream === stream) this.#stream = undefined;
    });
    held.begin(stream);
    return stream;
  }

  /** The bus may have lost messages: hints, and what other nodes have changed of the session. No request may come here that reads it. */
  async #lookAfterGap(stream: GetStream): Promise<void> {
    try {
      const found = await retryWhileUnavailable(this.#nodes, () => this.#session.readAgain());
      if (found === "ended") return stream.body.end();
      // Changes may have passed that the client had just subscribed to.
      if (found === "changed") stream.sendEverything();
      stream.look();
    } catch (error) {
      if (!this.#nodes.left.aborted) this.#nodes.serving.report(error);
    }
  }

  release(): void {
    this.#stream?.body.end();
  }

  /** Ends it, and opens none any more: this node serves the session no longer. */
  close(): void {
    this.#closed = true;
    this.release();
  }

  /**
   * Lets the log keep its messages, and the store where the client is, for as long as the session. Otherwise the numbers of messages would
   * begin again after a quiet time, and the client would be ahead of them. @throws StoreUnavailableError
   */
  async renew(): Promise<void> {
    const { events } = this.#nodes.stores;
    const { id: session, record, life } = this.#session;
    const at = { session, stream: record.stream };
    if ((await events.read(at, 0, 0)) !== "unknown") await events.add(at, { key: randomId(), data: [], ms: life });
    await this.#entry.renew(life);
  }
}
