/**
 * One of the GETs of a session, which may be at several nodes. The newest GET gets the messages; the one before ends, wherever it is, and
 * says how far its client is.
 */
import { randomId } from "../../../base/bytes.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import type { Version } from "../../../storage/keyed-store.ts";
import { cursorOf, textOf, type Cursor, type GetEntry, type KeptGet } from "./get-entry.ts";
import type { GetStream } from "./get-stream.ts";
import type { Nodes } from "./nodes.ts";
import type { SessionRecord } from "./session-records.ts";

/** Milliseconds that a new GET waits for the one before, which may be at another node. */
const HANDOVER_MS = 300;

export interface StreamedSession {
  readonly id: string;
  readonly record: Pick<SessionRecord, "stream" | "change">;
  /** Milliseconds for which its streams are kept after a write. */
  readonly life: number;
  /** Reads what the store knows of it. Resolves with whether this node did not know that. @throws StoreUnavailableError */
  readAgain(): Promise<"same" | "changed" | "ended">;
}

/** Where the nodes tell each other of the GETs of a session. */
export function topicOf(session: string): string {
  return `g.${session}`;
}

export class HeldGet {
  readonly #id = randomId();
  readonly #nodes: Nodes;
  readonly #session: StreamedSession;
  readonly #entry: GetEntry;
  /** Set when it has opened. */
  #stream: GetStream | undefined;
  /** The GET that asked for the messages last while this one opened. */
  #asked: string | undefined;
  /** GETs that had the messages before this one. What they ask for is over. */
  readonly #before = new Set<string>();
  /** Where GETs before this one have ended, by their ids. */
  readonly #left = new Map<string, Cursor | undefined>();
  /** Called when one of them has ended. */
  #onLeft: (() => void) | undefined;

  constructor(nodes: Nodes, session: StreamedSession, entry: GetEntry) {
    this.#nodes = nodes;
    this.#session = session;
    this.#entry = entry;
  }

  /** Hears of messages and of other GETs. Returns a function that stops it. @throws StoreUnavailableError */
  listen(): MaybePromise<() => void> {
    return this.#nodes.stores.bus.subscribe(topicOf(this.#session.id), (text) => this.#take(text));
  }

  /** Sends on its response from now on, unless another GET asked for the messages meanwhile. */
  begin(stream: GetStream): void {
    this.#stream = stream;
    if (this.#asked === undefined) stream.begin();
    else void this.#handOver(stream, this.#asked);
  }

  async #tell(text: string): Promise<void> {
    await this.#nodes.stores.bus.publish(topicOf(this.#session.id), text);
  }

  #take(text: string): void {
    const [kind, id = "", cursor = "", from = ""] = text.split(" ");
    if (kind === "message") this.#stream?.look();
    else if (kind === "left" && id === this.#id) {
      this.#left.set(from, cursorOf(cursor));
      this.#onLeft?.();
    } else if (kind === "get" && id !== this.#id && !this.#before.has(id)) {
      if (this.#stream === undefined) this.#asked = id;
      else if (!this.#stream.body.ended) void this.#handOver(this.#stream, id);
    }
  }

  async #handOver(stream: GetStream, to: string): Promise<void> {
    stream.handOver();
    try {
      await this.#tell(`left ${to} ${textOf(stream.cursor)} ${this.#id}`);
    } catch (error) {
      this.#nodes.serving.report(error); // the new GET waits no longer, and begins where this one was last saved
    }
  }

  // ---- which GET has the messages, and where its client is ----

  /**
   * Makes this GET the one that has the messages. The store decides between GETs that open at the same time: each takes the messages from
   * exactly the one that it asked. Returns where the client is. @param resumed where it is, if it says so
   */
  async takeOver(resumed: Cursor | undefined): Promise<Cursor> {
    for (;;) {
      const { kept: last, version } = await this.#entry.read();
      if (last !== undefined) this.#before.add(last.id);
      this.#asked = undefined;
      await this.#tell(`get ${this.#id}`);
      const cursor = resumed ?? (await this.#whenLeft(last)) ?? last?.cursor ?? { message: 0, change: this.#session.record.change };
      if (await this.#write(version, true, cursor)) return cursor;
    }
  }

  /** Where the GET before ends now; undefined if it has ended earlier, or does not say so. */
  async #whenLeft(last: KeptGet | undefined): Promise<Cursor | undefined> {
    if (last?.isOpen !== true) return undefined;
    const hasLeft = (): boolean => this.#left.has(last.id) || this.#left.has("");
    if (!hasLeft()) {
      await new Promise<void>((resolve) => {
        this.#onLeft = () => hasLeft() && resolve();
        this.#nodes.serving.clock.setTimer(HANDOVER_MS, resolve);
      });
    }
    return this.#left.get(last.id) ?? this.#left.get("");
  }

  /** Keeps where the client is. False if a newer GET has the messages, of which this node did not hear. */
  async save(cursor: Cursor): Promise<boolean> {
    for (;;) {
      const { kept, version } = await this.#entry.read();
      if (kept?.id && kept.id !== this.#id) {
        this.#stream?.handOver();
        return false;
      }
      if (await this.#write(version, this.#stream?.body.ended !== true, cursor)) return true;
    }
  }

  #write(version: Version | undefined, isOpen: boolean, cursor: Cursor): Promise<boolean> {
    return this.#entry.replace(version, { isOpen, cursor, id: this.#id }, this.#session.life);
  }
}
