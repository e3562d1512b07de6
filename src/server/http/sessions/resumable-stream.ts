/**
 * One stream of a session, which outlives the connection that carries it: every event is kept, then sent to whoever
 * reads now, and a client that lost the connection gets the rest on a new one (E3).
 *
 * Event ids name the stream and the event's number on it. The name is random, so an id of another session, or a made-up
 * one, means nothing here.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { encodeSseEvent, encodeNumberedEvent } from "../../../jsonrpc/sse.ts";
import type { Replay } from "./event-store.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import { randomId } from "../../../base/random-id.ts";
import type { MessageStream } from "../exchange/reply.ts";
import type { SessionState } from "./session-state.ts";

/** An event id as a client sends it back. */
export interface EventPosition {
  readonly stream: string;
  readonly number: number;
}

const EVENT_ID = /^([\w-]{22})\.(\d{1,15})$/;

/** Undefined for what is no id of ours. */
export function parseEventId(id: string): EventPosition | undefined {
  const match = EVENT_ID.exec(id);
  return match === null ? undefined : { stream: match[1]!, number: Number(match[2]) };
}

export class ResumableStream implements MessageStream {
  readonly name: string = randomId();
  /** What the ids of its events begin with, as a field of an event. */
  readonly #idField: string = `id: ${this.name}.`;
  readonly #session: SessionState;
  readonly #onEnd: () => void;
  #last = 0;
  /** The last event that was handed to a connection. */
  #sent = 0;
  #live: EventStream | undefined;
  #ended = false;
  /** Events that the store has not taken yet, in order. */
  #storing: Promise<void> | undefined;
  /** Their characters. */
  #unstored = 0;
  #failed = false;

  /** @param onEnd called when nothing more will be sent on it */
  constructor(session: SessionState, onEnd: () => void) {
    this.#session = session;
    this.#onEnd = onEnd;
  }

  /** The number up to which a client that never came back has got everything. */
  get sent(): number {
    return this.#sent;
  }

  /** How much was said while nobody listened. */
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
   * Stores an event, which is sent only then: what was sent can always be sent again. True where that is done
   * already. A store that fails ends the stream, and so does one that has more than `limits.maxBuffered` characters to take.
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

  /** Says where the stream is before anything else is said, so that a client can come back for what follows (E1.9). */
  prime(live: EventStream, retry: number): void {
    void live.write(encodeSseEvent({ id: `${this.name}.${this.#sent}`, retry, data: "" }));
  }

  /** From now on `live` carries this stream. Whoever carried it before is let go: nothing is sent twice. */
  attach(live: EventStream): void {
    const before = this.#live;
    this.#live = live;
    before?.end();
    live.whenEnded(() => {
      if (this.#live === live) this.#live = undefined;
    });
  }

  /** Ends the connection that carries it, not the stream: the client comes back for the rest. */
  release(): void {
    const live = this.#live;
    this.#live = undefined;
    live?.end();
  }

  /** Sends `live` what came after `number`, and from then on what comes. What it returns otherwise is why it could not. */
  async resume(live: EventStream, number: number): Promise<Exclude<Replay, readonly unknown[]> | undefined> {
    let at = number;
    this.release();
    for (;;) {
      await this.#storing;
      const replay = await this.#session.store.after(this.#session.id, this.name, at);
      if (typeof replay === "string") return at === this.#last && replay === "unknown" ? this.#goOn(live) : replay;
      for (const event of replay) void live.send(event.data, `${this.name}.${event.number}`);
      at = replay.at(-1)?.number ?? at;
      // Nothing may come between the last look and the attachment.
      if (at >= this.#last) return this.#goOn(live);
      if (replay.length === 0) return "evicted";
    }
  }

  /** Carries on with what comes now, whatever was said before. */
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
