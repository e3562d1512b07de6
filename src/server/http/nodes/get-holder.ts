/**
 * The node that holds the GET of a session. The newest GET gets the messages; the one before ends, wherever it is, and says how far its
 * client is.
 */
import { randomId } from "../../../base/bytes.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { StreamsOwner } from "../sessions/streams.ts";
import type { Fleet } from "./fleet.ts";
import { cursorOf, GetStream, textOf, type Cursor } from "./get-stream.ts";
import { insist } from "./insist.ts";
import type { SessionRecord } from "./session-records.ts";

/** Milliseconds that a new GET waits for the one before, which may be at another node. */
const HANDOVER_MS = 300;

/** What streams take from a session of the fleet. */
export interface StreamedSession {
  readonly id: string;
  readonly record: Pick<SessionRecord, "stream" | "change">;
  /** Milliseconds for which its streams are kept after a write. */
  readonly life: number;
  /** Reads what the store knows of it. Resolves with whether this node did not know that. @throws StoreUnavailableError */
  readAgain(): Promise<"same" | "changed" | "ended">;
}

/** A GET at this node, while it opens and while it lasts. */
interface HeldGet {
  readonly id: string;
  /** Set when it has opened. */
  stream?: GetStream;
  /** Takes the cursor of the GET before. */
  onLeft?: (cursor: Cursor | undefined) => void;
}

export class GetHolder {
  /** The stream of the newest GET at this node, if there is one. */
  stream: GetStream | undefined;
  readonly #fleet: Fleet;
  readonly #session: StreamedSession;
  readonly #owner: StreamsOwner;

  constructor(fleet: Fleet, session: StreamedSession, owner: StreamsOwner) {
    this.#fleet = fleet;
    this.#session = session;
    this.#owner = owner;
  }

  /** Opens the stream for a GET. @param resumed where its client is, if it says so @throws StoreUnavailableError */
  async open(resumed?: Cursor): Promise<EventStream> {
    const held: HeldGet = { id: randomId() };
    const stop = await this.#fleet.stores.bus.subscribe(this.#topic, (text) => this.#take(held, text));
    try {
      const last = resumed === undefined ? await this.#lastCursor(held) : undefined;
      if (resumed !== undefined) await this.#tell(`get ${held.id}`);
      held.stream = this.#begin(resumed ?? last ?? { message: 0, change: this.#session.record.change });
      held.stream.body.whenEnded(stop);
      return held.stream.body;
    } catch (error) {
      stop();
      throw error;
    }
  }

  #begin(cursor: Cursor): GetStream {
    const { retry, dispatcher } = this.#owner;
    const body = this.#owner.openBody();
    const { id: session, record } = this.#session;
    const save = (at: Cursor): Promise<void> => this.#save(at);
    const stream = new GetStream({ fleet: this.#fleet, session, dispatcher, stream: record.stream, body, cursor, retry, save });
    this.stream = stream;
    const stopGaps = this.#fleet.stores.bus.onGap(() => void this.#lookAfterGap(stream));
    body.whenEnded(() => {
      stopGaps();
      if (this.stream === stream) this.stream = undefined;
    });
    stream.begin();
    return stream;
  }

  /** The bus may have lost messages: hints, and what other nodes have changed of the session. No request may come here that reads it. */
  async #lookAfterGap(stream: GetStream): Promise<void> {
    try {
      const found = await insist(this.#fleet, () => this.#session.readAgain());
      if (found === "ended") return stream.body.end();
      // Changes may have passed that the client had just subscribed to.
      if (found === "changed") stream.sendEverything();
      stream.look();
    } catch (error) {
      if (!this.#fleet.left.aborted) this.#fleet.serving.report(error);
    }
  }

  /** Ends the GET at this node in order. The client may resume it. */
  release(): void {
    this.stream?.body.end();
  }

  // ---- what nodes tell each other of the GET ----

  get #topic(): string {
    return `g.${this.#session.id}`;
  }

  async #tell(text: string): Promise<void> {
    await this.#fleet.stores.bus.publish(this.#topic, text);
  }

  /** A message was added to the log. */
  tellOfMessage(): Promise<void> {
    return this.#tell("message");
  }

  #take(held: HeldGet, text: string): void {
    const [kind, id, cursor = ""] = text.split(" ");
    if (kind === "message") held.stream?.look();
    else if (kind === "left" && id === held.id) held.onLeft?.(cursorOf(cursor));
    else if (kind === "get" && id !== held.id && held.stream !== undefined) void this.#handOver(held.stream, id!);
  }

  async #handOver(stream: GetStream, to: string): Promise<void> {
    stream.handOver();
    try {
      await this.#tell(`left ${to} ${textOf(stream.cursor)}`);
    } catch (error) {
      this.#fleet.serving.report(error); // the new GET waits no longer, and begins where this one was last saved
    }
  }

  // ---- where the client is, for a GET that does not say so ----

  get #key(): string {
    return `cursor ${this.#session.id}`;
  }

  /** Where the GET before has ended, or ends now. */
  async #lastCursor(held: HeldGet): Promise<Cursor | undefined> {
    const entry = await this.#fleet.stores.keyed.read(this.#key);
    const [state, text = ""] = entry?.value.split(" ") ?? [];
    const left = new Promise<Cursor | undefined>((resolve) => {
      held.onLeft = resolve;
      if (state !== "open") resolve(undefined);
      else this.#fleet.serving.clock.setTimer(HANDOVER_MS, () => resolve(undefined));
    });
    await this.#tell(`get ${held.id}`);
    return (await left) ?? cursorOf(text);
  }

  async #save(cursor: Cursor): Promise<void> {
    const { keyed } = this.#fleet.stores;
    let saved: string | undefined;
    while (saved === undefined) {
      const entry = await keyed.read(this.#key);
      const value = `${this.stream === undefined ? "left" : "open"} ${textOf(cursor)}`;
      saved = await keyed.swap(this.#key, entry?.version, { value, ms: this.#session.life });
    }
  }
}
