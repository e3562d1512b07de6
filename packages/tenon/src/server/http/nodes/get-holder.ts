/**
 * The node that holds the GET of a session. The newest GET gets the messages; the one before ends, wherever it is, and says how far its
 * client is.
 */
import { randomId } from "../../../base/bytes.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { ConnectionClosedError } from "../../../jsonrpc/mcp-error.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { HttpRequest } from "../http-message.ts";
import type { Opened, StandingStream, StreamsOwner } from "../sessions/streams.ts";
import type { Nodes } from "./nodes.ts";
import { GetEntry, type KeptGet } from "./get-entry.ts";
import { cursorOf, GetStream, textOf, type Cursor } from "./get-stream.ts";
import { retryWhileUnavailable } from "./retry-while-unavailable.ts";
import type { SessionRecord } from "./session-records.ts";

/** An event id of a GET stream: the name of the stream, and the cursor. */
const GET_EVENT_ID = /^([\w-]{22})\.(\d{1,15}-\d{1,15})$/;

/** Milliseconds that a new GET waits for the one before, which may be at another node. */
const HANDOVER_MS = 300;

/** What streams take from a session of the nodes. */
export interface StreamedSession {
  readonly id: string;
  readonly record: Pick<SessionRecord, "stream" | "change">;
  /** Milliseconds for which its streams are kept after a write. */
  readonly life: number;
  /** Reads what the store knows of it. Resolves with whether this node did not know that. @throws StoreUnavailableError */
  readAgain(): Promise<"same" | "changed" | "ended">;
}

/** A GET at this node, while it opens and while it lasts. */
class HeldGet {
  readonly id: string = randomId();
  /** Set when it has opened. */
  stream: GetStream | undefined;
  /** The GET that asked for the messages last while this one opened. */
  asked: string | undefined;
  /** GETs that had the messages before this one. What they ask for is over. */
  readonly before = new Set<string>();
  /** Where GETs before this one have ended, by their ids. */
  readonly left = new Map<string, Cursor | undefined>();
  /** Called when one of them has ended. */
  onLeft: (() => void) | undefined;
}

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
    await this.#tell("message");
  }

  // ---- a GET ----

  open(_request: HttpRequest, lastEventId: string | undefined): Promise<Opened> | undefined {
    if (lastEventId === undefined) return this.#open();
    const [, stream, cursor = ""] = GET_EVENT_ID.exec(lastEventId) ?? [];
    return stream === this.#session.record.stream ? this.#open(cursorOf(cursor)) : undefined;
  }

  /** @param resumed where its client is, if it says so @throws StoreUnavailableError */
  async #open(resumed?: Cursor): Promise<EventStream | "ended"> {
    const held = new HeldGet();
    const stop = await this.#nodes.stores.bus.subscribe(this.#topic, (text) => this.#take(held, text));
    try {
      const cursor = await this.#takeOver(held, resumed);
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
    const save = (at: Cursor): Promise<void> => this.#save(held, at);
    const stream = new GetStream({ nodes: this.#nodes, session, dispatcher, stream: record.stream, body, cursor, retry, save });
    this.#stream = held.stream = stream;
    const stopGaps = this.#nodes.stores.bus.onGap(() => void this.#lookAfterGap(stream));
    body.whenEnded(() => {
      stopGaps();
      if (this.#stream === stream) this.#stream = undefined;
    });
    if (held.asked === undefined) stream.begin();
    else void this.#handOver(held, stream, held.asked);
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

  /** Ends the GET at this node in order. The client may resume it. */
  release(): void {
    this.#stream?.body.end();
  }

  /** Ends it, and opens none any more: this node serves the session no longer. */
  close(): void {
    this.#closed = true;
    this.release();
  }

  // ---- what nodes tell each other of the GET ----

  get #topic(): string {
    return `g.${this.#session.id}`;
  }

  async #tell(text: string): Promise<void> {
    await this.#nodes.stores.bus.publish(this.#topic, text);
  }

  #take(held: HeldGet, text: string): void {
    const [kind, id = "", cursor = "", from = ""] = text.split(" ");
    if (kind === "message") held.stream?.look();
    else if (kind === "left" && id === held.id) {
      held.left.set(from, cursorOf(cursor));
      held.onLeft?.();
    } else if (kind === "get" && id !== held.id && !held.before.has(id)) {
      if (held.stream === undefined) held.asked = id;
      else if (!held.stream.body.ended) void this.#handOver(held, held.stream, id);
    }
  }

  async #handOver(held: HeldGet, stream: GetStream, to: string): Promise<void> {
    stream.handOver();
    try {
      await this.#tell(`left ${to} ${textOf(stream.cursor)} ${held.id}`);
    } catch (error) {
      this.#nodes.serving.report(error); // the new GET waits no longer, and begins where this one was last saved
    }
  }

  // ---- which GET has the messages, and where its client is ----

  /**
   * Makes a GET the one that has the messages. The store decides between GETs that open at the same time: each takes the messages from
   * exactly the one that it asked. Returns where the client is.
   */
  async #takeOver(held: HeldGet, resumed: Cursor | undefined): Promise<Cursor> {
    for (;;) {
      const { kept: last, version } = await this.#entry.read();
      if (last !== undefined) held.before.add(last.id);
      held.asked = undefined;
      await this.#tell(`get ${held.id}`);
      const cursor = resumed ?? (await this.#whenLeft(held, last)) ?? last?.cursor ?? { message: 0, change: this.#session.record.change };
      if (await this.#entry.replace(version, { isOpen: true, cursor, id: held.id }, this.#session.life)) return cursor;
    }
  }

  /** Where the GET before ends now; undefined if it has ended earlier, or does not say so. */
  async #whenLeft(held: HeldGet, last: KeptGet | undefined): Promise<Cursor | undefined> {
    if (last?.isOpen !== true) return undefined;
    const hasLeft = (): boolean => held.left.has(last.id) || held.left.has("");
    if (!hasLeft()) {
      await new Promise<void>((resolve) => {
        held.onLeft = () => hasLeft() && resolve();
        this.#nodes.serving.clock.setTimer(HANDOVER_MS, resolve);
      });
    }
    return held.left.get(last.id) ?? held.left.get("");
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

  async #save(held: HeldGet, cursor: Cursor): Promise<void> {
    const isOpen = (): boolean => held.stream?.body.ended !== true;
    let isSaved = false;
    while (!isSaved) {
      const { kept, version } = await this.#entry.read();
      if (kept?.id && kept.id !== held.id) return held.stream?.handOver(); // a newer GET has the messages, and this node did not hear of it
      isSaved = await this.#entry.replace(version, { isOpen: isOpen(), cursor, id: held.id }, this.#session.life);
    }
    if (!isOpen()) await this.#hasEnded();
  }
}
