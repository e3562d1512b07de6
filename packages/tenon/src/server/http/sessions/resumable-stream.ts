/**
 * One stream of a session, which outlives its HTTP response: each event is stored, then sent on the current response. A client that lost
 * the connection gets the rest on a new response (MCP 2025-11-25, Transports, Resumability and Redelivery).
 *
 * Event ids name the stream and the event's number on it. The name is random, so a client cannot guess the id of another session.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { encodeSseEvent, encodeNumberedEvent } from "../../../jsonrpc/sse.ts";
import type { Replay } from "./event-store.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { randomId } from "../../../base/bytes.ts";
import type { MessageStream } from "../exchange/reply.ts";
import type { SessionState } from "./session-state.ts";

/** The parts of an event id that a client sends back. */
export interface EventPosition {
  readonly stream: string;
  readonly number: number;
}

const EVENT_ID = /^([\w-]{22})\.(\d{1,15})$/;

/** Returns undefined if this class has not made the id. */
export function parseEventId(id: string): EventPosition | undefined {
  const match = EVENT_ID.exec(id);
  return match === null ? undefined : { stream: match[1]!, number: Number(match[2]) };
}

export class ResumableStream implements MessageStream {
  readonly name: string = randomId();
  /** The event field `id` up to the number. */
  readonly #idField: string = `id: ${this.name}.`;
  readonly #session: SessionState;
  readonly #onEnd: () => void;
  #last = 0;
  /** The number of the last event that was written to a response. */
  #sent = 0;
  #live: EventStream | undefined;
  #ended = false;
  /** Resolves when the store has taken all events so far. */
  #storing: Promise<void> | undefined;
  /** Characters of events that the store has not taken yet. */
  #unstored = 0;
  #failed = false;

  /** @param onEnd called when the stream ends */
  constructor(session: SessionState, onEnd: () => void) {
    this.#session = session;
    this.#onEnd = onEnd;
  }

  /** The number of the last event that was written to a response. */
  get sent(): number {
    return this.#sent;
  }

  /** The number of events that were sent while no client was connected. */
  get unsent(): number {
    return this.#last - this.#sent;
  }

  get crowded(): boolean {
    return this.#unstored > this.#session.serving.settings.limits.maxBuffered / 2 || this.#live?.crowded === true;
  }

  whenRead(): MaybePromise<void> {
    return this.#unstored > 0 ? this.#storing : this.#live?.whenRead();
  }

  send(data: string): MaybePromise<void> {
    if (this.#ended) return undefined;
    const number = ++this.#last;
    return this.#keep(number, data) ? this.#write(number, data) : this.#writeStored(number, data);
  }

  #writeStored(number: number, data: string): MaybePromise<void> {
    return this.#afterStoring(() => this.#write(number, data));
  }

  #write(number: number, data: string): MaybePromise<void> {
    if (this.#live === undefined) return undefined;
    this.#sent = number;
    return this.#live.write(encodeNumberedEvent(this.#idField, number, data));
  }

  end(data?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    const number = data === undefined ? undefined : ++this.#last;
    if (number !== undefined) this.#keep(number, data!);
    void this.#afterStoring(() => this.#finish(number, data));
  }

  #finish(number?: number, data?: string): void {
    if (this.#failed) return;
    const live = this.#live;
    this.#live = undefined;
    live?.end(data, number === undefined ? undefined : `${this.name}.${number}`);
    this.#onEnd();
    this.#settle(this.#session.store.end(this.#session.id, this.name));
  }

  /**
   * Stores an event before it is sent, so that every sent event can be sent again. Returns true if the event is stored already. The
   * stream ends if the store fails, or has more than `maxBuffered` characters still to store.
   */
  #keep(number: number, data: string): boolean {
    let stored: MaybePromise<void>;
    try {
      this.#assertStoreKeepsUp();
      stored = this.#session.store.append(this.#session.id, this.name, { number, data });
    } catch (error) {
      this.#fail(error);
      return true;
    }
    if (this.#storing === undefined && !isPromise(stored)) return true;
    this.#unstored += data.length;
    this.#storing = Promise.all([this.#storing, stored]).then(
      () => void (this.#unstored -= data.length),
      (error: unknown) => this.#fail(error),
    );
    return false;
  }

  /** @throws LimitExceededError if too much waits for the store already */
  #assertStoreKeepsUp(): void {
    const { maxBuffered } = this.#session.serving.limits;
    if (this.#unstored > maxBuffered)
      throw new LimitExceededError("limits.maxBuffered", maxBuffered, this.#unstored, ErrorCode.InternalError);
  }

  #fail(error: unknown): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#ended = true;
    this.#session.serving.report(error);
    this.#live?.cut();
    this.#live = undefined;
    this.#onEnd();
  }

  #afterStoring(then: () => MaybePromise<void>): MaybePromise<void> {
    return this.#storing === undefined ? then() : this.#storing.then(then);
  }

  #settle(done: MaybePromise<void>): void {
    if (isPromise(done)) done.catch((error: unknown) => this.#session.serving.report(error));
  }

  /**
   * Sends an event with the current id and no data, so that a client can resume from here (MCP 2025-11-25, Transports, Sending Messages to the Server
   * to the Server).
   */
  prime(live: EventStream, retry: number): void {
    void live.write(encodeSseEvent({ id: `${this.name}.${this.#sent}`, retry, data: "" }));
  }

  /** Makes `live` the response of this stream and ends the one before, so that no event is sent twice. */
  attach(live: EventStream): void {
    const before = this.#live;
    this.#live = live;
    before?.end();
    live.whenEnded(() => {
      if (this.#live === live) this.#live = undefined;
    });
  }

  /** Ends the HTTP response and not the stream. The client resumes the stream. */
  release(): void {
    const live = this.#live;
    this.#live = undefined;
    live?.end();
  }

  /** Sends the events after `number` on `live`, then all later events. Returns why, if it cannot. */
  async resume(live: EventStream, number: number): Promise<Exclude<Replay, readonly unknown[]> | undefined> {
    let at = number;
    this.release();
    for (;;) {
      await this.#storing;
      const replay = await this.#session.store.after(this.#session.id, this.name, at);
      if (typeof replay === "string") return at === this.#last && replay === "unknown" ? this.#goOn(live) : replay;
      for (const event of replay) void live.send(event.data, `${this.name}.${event.number}`);
      at = replay.at(-1)?.number ?? at;
      // No `await` may come between the last replay and the attachment.
      if (at >= this.#last) return this.#goOn(live);
      if (replay.length === 0) return "evicted";
    }
  }

  /** Continues with new events and skips the earlier ones. */
  skip(live: EventStream): void {
    this.#goOn(live);
  }

  #goOn(live: EventStream): undefined {
    this.#sent = this.#last;
    if (this.#ended) live.end();
    else this.attach(live);
    return undefined;
  }
}
