/**
 * A stream that a client resumes here: what it has missed comes from the log. If this process writes the stream, the rest comes from there.
 * If another node does, the log is read until the stream ends; if that node has ended, this one takes the stream over.
 */
import { jsonIn } from "../../../jsonrpc/parse-json.ts";
import { sleep } from "../../../base/clock.ts";
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { waits } from "../../../base/waits.ts";
import { DamagedEntryError } from "../../../storage/damaged-entry.ts";
import type { EventPage } from "../../../storage/event-log.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { HttpRequest } from "../http-message.ts";
import type { StreamHome } from "./stream-home.ts";
import type { WrittenStream } from "./written-stream.ts";

/** Events of one read. */
const PAGE = 256;
/** The waits for more events of another node, in milliseconds. */
const WAITS = { first: 20, longest: 400, jitter: 0 };

/** The parts of an event id that a client sends back. */
export interface EventPosition {
  readonly stream: string;
  readonly number: number;
}

const EVENT_ID = /^([\w-]{22})\.(\d{1,15})$/;

/** Returns undefined if the id is none of a {@link WrittenStream}. */
export function parseEventId(id: string): EventPosition | undefined {
  const match = EVENT_ID.exec(id);
  return match === null ? undefined : { stream: match[1]!, number: Number(match[2]) };
}

export interface FollowedStreamOptions {
  readonly home: StreamHome;
  readonly position: EventPosition;
  readonly request: HttpRequest;
  readonly body: EventStream;
  /** The stream, while this process writes it. */
  readonly own: () => WrittenStream | undefined;
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
    const { home, position, own } = this.#options;
    own()?.release(); // it must not send the same events on the response that the client has lost
    const page = await this.#read();
    if (typeof page === "string") return page;
    if (page.last < this.#at) return "unknown";
    if (own() === undefined && page.writer !== undefined && !page.ended) await home.others?.announce(position.stream, page.writer);
    void this.#follow(page);
    return undefined;
  }

  #read(): MaybePromise<EventPage | "unknown" | "evicted"> {
    const { home, position } = this.#options;
    return home.events.read({ session: home.session, stream: position.stream }, this.#at, PAGE);
  }

  async #follow(first: EventPage): Promise<void> {
    const { body, home } = this.#options;
    const pauses = waits(WAITS);
    try {
      for (let page: EventPage | string = first; !body.ended; page = await home.retry(() => this.#read())) {
        if (typeof page === "string") return body.gone();
        await this.#send(page);
        const isRead = page.events.length > 0;
        if (isRead) pauses.reset();
        else if (this.#at < page.last) throw new Error(`The event log gave no events after ${this.#at}, and has ${page.last}`);
        if (this.#at < page.last) continue;
        if (this.#isOver(page)) return body.end();
        const own = this.#options.own();
        // If nothing was read, the log does not have them yet: it is not asked again without a pause.
        if (isRead && own !== undefined && own.last > this.#at) continue;
        // No `await` may come between the last event and the attachment.
        if (own?.continueOn(body, this.#at) === true) return;
        if (await this.#takeOver(page)) pauses.reset(); // what comes next is there already, or soon
        await sleep(home.serving.clock, pauses.next(), this.#ended.signal);
      }
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      home.serving.report(error);
      body.cut();
    }
  }

  /** Whether no event follows: the stream has ended, or its writer has failed and there are no other nodes. */
  #isOver({ ended }: EventPage): boolean {
    const { home, own } = this.#options;
    return ended || (home.others === undefined && own() === undefined);
  }

  async #send({ events }: EventPage): Promise<void> {
    const { body, position } = this.#options;
    for (const { number, data } of events) {
      const read = jsonIn(data) !== undefined ? body.send(data, `${position.stream}.${number}`) : this.#reportDamaged();
      this.#at = number;
      if (isPromise(read)) await read;
    }
  }

  #reportDamaged(): undefined {
    this.#options.home.serving.report(new DamagedEntryError("An event of a stream", "is not JSON"));
  }

  async #takeOver(page: EventPage): Promise<boolean> {
    const { home, position, request, body } = this.#options;
    return (await home.others?.takeOver(position.stream, page, { request, body, at: this.#at })) === true;
  }
}
