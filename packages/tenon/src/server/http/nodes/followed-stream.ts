/**
 * A stream of a POST that a client resumes at this node. The events come from the log, also if this node writes them itself. If the node that
 * writes it has ended, this node takes the stream over: it runs a repeatable call again, and ends every other one with an error.
 */
import { sleep } from "../../../base/clock.ts";
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { DamagedEntryError, isJson } from "../../../storage/damaged-entry.ts";
import type { EventPage } from "../../../storage/event-log.ts";
import type { JSONRPCRequest } from "../../../jsonrpc/message.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { EventPosition } from "../sessions/resumable-stream.ts";
import type { Fleet } from "./fleet.ts";
import { insist } from "./insist.ts";
import { isFinal, lostCallText, noteIn } from "./lost-call.ts";
import { nodeOfWriter } from "../../../cluster/node.ts";
import { againAs, isAgain, progressOn, type RepeatedCall } from "./repeated-call.ts";

/** Events of one read. */
const PAGE = 256;
/** The first and the longest wait for more events, in milliseconds. */
const [FIRST_WAIT, LONGEST_WAIT] = [20, 400];

export interface FollowedStreamOptions {
  readonly fleet: Fleet;
  readonly session: string;
  readonly position: EventPosition;
  readonly body: EventStream;
  /** Milliseconds for which the stream is kept after a write. */
  readonly life: number;
  /** Whether this node still writes the stream. */
  readonly isOwn: () => boolean;
  /** Runs a call again that its node has lost, on this stream. False if this node cannot. */
  readonly repeat: (call: RepeatedCall) => boolean;
}

export class FollowedStream {
  readonly #options: FollowedStreamOptions;
  /** The number of the last event that was sent. */
  #at: number;
  readonly #ended = new AbortController();

  constructor(options: FollowedStreamOptions) {
    this.#options = options;
    this.#at = options.position.number;
    options.body.whenEnded(() => this.#ended.abort(new Error("The response has ended")));
  }

  /** Sends the events after the position, and later ones as they come. Returns why, if it cannot. @throws StoreUnavailableError */
  async begin(): Promise<"unknown" | "evicted" | undefined> {
    const page = await this.#read();
    if (typeof page === "string") return page;
    if (page.last < this.#at) return "unknown";
    const { writer } = page;
    if (writer !== undefined && !page.ended) await this.#announce(nodeOfWriter(writer));
    void this.#follow(page);
    return undefined;
  }

  /** The writer must not send the same events on the response that the client has lost. */
  async #announce(writer: number): Promise<void> {
    const { fleet, session, position } = this.#options;
    await fleet.calls.tell(writer, "resumed", { session, stream: position.stream });
  }

  #read(): EventPage | "unknown" | "evicted" | Promise<EventPage | "unknown" | "evicted"> {
    const { fleet, session, position } = this.#options;
    return fleet.stores.events.read({ session, stream: position.stream }, this.#at, PAGE);
  }

  async #follow(first: EventPage): Promise<void> {
    const { body, fleet } = this.#options;
    const { clock } = fleet.serving;
    try {
      for (let page: EventPage | string = first, wait = FIRST_WAIT; !body.ended; page = await insist(fleet, () => this.#read())) {
        if (typeof page === "string") return body.gone();
        wait = page.events.length > 0 ? FIRST_WAIT : Math.min(wait * 2, LONGEST_WAIT);
        await this.#send(page);
        if (page.ended && this.#at >= page.last) return body.end();
        if (this.#at >= page.last && (await this.#takeOver(page))) wait = FIRST_WAIT; // what comes next is there already, or soon
        await sleep(clock, wait, this.#ended.signal);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      fleet.serving.report(error);
      body.cut();
    }
  }

  async #send({ events }: EventPage): Promise<void> {
    const { body, position, fleet } = this.#options;
    for (const { number, data } of events) {
      if (isJson(data)) void body.send(data, `${position.stream}.${number}`);
      else fleet.serving.report(new DamagedEntryError("An event of a stream", "is not JSON"));
      this.#at = number;
    }
    await body.whenRead();
  }

  /**
   * Runs the call again, or ends the stream with an error, if the node that writes it has ended. Another node may do so first. Returns
   * whether the stream has a new writer.
   */
  async #takeOver({ writer, note: text }: EventPage): Promise<boolean> {
    const { fleet, session, position, isOwn, life } = this.#options;
    const { node, stores } = fleet;
    if (writer === undefined || !node.mayTakeOver || (await this.#isWritten(writer, isOwn))) return false;
    if (!node.mayTakeOver) return false; // the store was away meanwhile: leases have ended that no node could renew
    const at = { session, stream: position.stream };
    const note = noteIn(text);
    const call = isAgain(writer) ? undefined : note.call;
    const own = call === undefined ? node.nextWriter() : againAs(node.nextWriter());
    if (!(await stores.events.adopt(at, writer, own))) return true;
    const page = await insist(fleet, () => stores.events.read(at, Math.max(this.#at - 1, 0), PAGE));
    if (typeof page === "string") return true;
    const last = page.events.at(-1);
    const isOver = last !== undefined && isFinal(last.data);
    if (!isOver && call !== undefined && (await this.#repeat(call, own, page.last))) return true;
    const data = isOver ? [] : [lostCallText(note)];
    await insist(fleet, () => stores.events.append(at, { writer: own, first: page.last + 1, data, ends: true, ms: life }));
    return true;
  }

  async #repeat(call: JSONRPCRequest, writer: string, last: number): Promise<boolean> {
    const { fleet, session, position, repeat } = this.#options;
    const progress = await insist(fleet, () => progressOn(fleet, { session, stream: position.stream }, last));
    return repeat({ call, writer, last, progress });
  }

  /** Whether the writer still lives. */
  #isWritten(writer: string, isOwn: () => boolean): MaybePromise<boolean> {
    const { fleet } = this.#options;
    const { node } = fleet;
    const number = nodeOfWriter(writer);
    return number === node.number ? isOwn() : insist(fleet, () => node.isAlive(number));
  }
}
