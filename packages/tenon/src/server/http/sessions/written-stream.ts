/**
 * A stream that this process writes: each event is in the log before it is sent, so that a client that lost the connection gets the rest
 * on a new response (MCP 2025-11-25, Transports, Resumability and Redelivery).
 *
 * It writes under a name of its own. If another node has taken the stream over, the log refuses the event, and the handlers are aborted. Event
 * ids name the stream and the event's number on it. The name is random, so a client cannot guess the id of another session.
 */
import { randomId } from "../../../base/bytes.ts";
import { andThen, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { encodeNumberedEvent, encodeSseEvent } from "../../../jsonrpc/sse.ts";
import type { StreamName } from "../../../storage/event-log.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { MessageStream } from "../exchange/reply.ts";
import type { StreamHome } from "./stream-home.ts";

/** Events of one write. */
const MAX_BATCH = 256;
/** Mostly nothing waits, and one event is one write. Never changed. */
const NOTHING: string[] = [];

export interface WrittenStreamOptions {
  readonly home: StreamHome;
  /** What the log keeps of the requests. The log has it already if the stream is adopted. */
  readonly note?: string | undefined;
  /** Milliseconds after which the client may resume; undefined if the revision says nothing of it. */
  readonly retry: number | undefined;
  readonly body?: EventStream;
  /** The stream of another node that this one has taken over, with the name that it writes under and the number of its last event. */
  readonly adopted?: { readonly name: string; readonly writer: string; readonly last: number };
  /** Called when the stream has ended, or can take no more. `why`: the reason to abort the handlers. */
  readonly onEnd: (why?: string) => void;
}

export class WrittenStream implements MessageStream {
  readonly name: string;
  readonly #options: WrittenStreamOptions;
  readonly #home: StreamHome;
  /** Characters that may wait for the log. */
  readonly #maxUnkept: number;
  /** The event field `id` up to the number. */
  readonly #idField: string;
  readonly #writer: string;
  readonly #at: StreamName;
  #live: EventStream | undefined;
  #waiting: string[] = NOTHING;
  /** Characters that the log has not taken yet. */
  #unkept = 0;
  /** Whether the log has the stream. */
  #opened: boolean;
  /** The number of the last event that the log has taken. */
  #last: number;
  /** The number of the last event that was written to a response. */
  #sent = 0;
  #ending = false;
  #ended = false;
  /** A response that was released before the log had the stream. */
  #released: EventStream | undefined;
  /** Whether the log must keep the stream for longer, although there is no event. */
  #renewing = false;
  #writing = false;
  /** Resolves when the log has taken what waits. */
  #keeping: Promise<void> | undefined;

  constructor(options: WrittenStreamOptions) {
    const { adopted, body, home } = options;
    this.#options = options;
    this.#home = home;
    this.#maxUnkept = home.serving.limits.maxBuffered;
    this.name = adopted?.name ?? randomId();
    this.#idField = `id: ${this.name}.`;
    this.#at = { session: home.session, stream: this.name };
    this.#writer = adopted?.writer ?? home.nextWriter();
    this.#opened = adopted !== undefined;
    this.#last = adopted?.last ?? 0;
    if (body !== undefined) this.#attach(body);
  }

  /** Opens it in the log. */
  begin(): void {
    this.#keep();
  }

  /** Whether it takes no more events. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  get last(): number {
    return this.#last;
  }

  get sent(): number {
    return this.#sent;
  }

  get crowded(): boolean {
    return this.#unkept > this.#maxUnkept / 2 || this.#live?.crowded === true;
  }

  whenRead(): MaybePromise<void> {
    return this.#keeping ?? this.#live?.whenRead();
  }

  send(data: string): MaybePromise<void> {
    if (this.#ending) return undefined;
    if (this.#opened && !this.#writing && this.#home.keepNow !== undefined) return this.#sendNow(data);
    this.#add(data);
    return this.whenRead();
  }

  /** Nothing waits, and the log takes the event at once: neither a list nor an object is made for it. */
  #sendNow(data: string): MaybePromise<void> {
    try {
      if (this.#home.keepNow!(this.#at, this.#writer, data) !== "kept") return this.#fail(TAKEN_OVER);
    } catch (error) {
      return this.#leave(error);
    }
    this.#last++;
    if (this.#live === undefined) return undefined;
    this.#sent = this.#last;
    return this.#live.write(encodeNumberedEvent(this.#idField, this.#last, data));
  }

  end(data?: string): void {
    if (this.#ending) return;
    this.#ending = true;
    if (data === undefined) this.#keep();
    else this.#add(data);
  }

  #add(data: string): void {
    if (this.#unkept > this.#maxUnkept && !this.#ending) {
      const error = new LimitExceededError("limits.maxBuffered", this.#maxUnkept, this.#unkept, ErrorCode.InternalError);
      return this.#leave(error, error.message);
    }
    if (this.#waiting.length === 0) this.#waiting = [data];
    else this.#waiting.push(data);
    this.#unkept += data.length;
    this.#keep();
  }

  // ---- the log ----

  /** Lets the log keep the stream for longer. */
  renew(): void {
    this.#renewing = true;
    this.#keep();
  }

  /** Writes what waits, one write at a time. */
  #keep(): void {
    if (this.#writing) return;
    this.#writing = true;
    const written = this.#home.gathersTurns ? Promise.resolve().then(() => this.#writeOrLeave()) : this.#writeOrLeave();
    if (!isPromise(written)) return this.#kept();
    this.#keeping = written.then(() => this.#kept());
  }

  /** Not `attempt`: no function may be made for each event. */
  #writeOrLeave(): MaybePromise<void> {
    try {
      const written = this.#write();
      return isPromise(written) ? written.catch((error: unknown) => this.#leave(error)) : undefined;
    } catch (error) {
      return this.#leave(error);
    }
  }

  #kept(): void {
    this.#keeping = undefined;
    this.#writing = false;
    if (this.#hasWork) this.#keep(); // came after the last look of `#write`
  }

  get #hasWork(): boolean {
    return !this.#ended && (this.#waiting.length > 0 || this.#ending || this.#renewing);
  }

  #write(): MaybePromise<void> {
    if (!this.#opened) return andThen(this.#open(), (isOpen) => (isOpen ? this.#write() : this.#fail(TAKEN_OVER)));
    while (this.#hasWork) {
      this.#renewing = false;
      const data = this.#waiting.length <= MAX_BATCH ? this.#waiting : this.#waiting.slice(0, MAX_BATCH);
      this.#waiting = data === this.#waiting ? NOTHING : this.#waiting.slice(MAX_BATCH);
      const ends = this.#ending && this.#waiting.length === 0;
      const outcome = this.#append(data, ends);
      if (isPromise(outcome)) return outcome.then((known) => this.#sendKept(known, data, ends)).then(() => this.#write());
      this.#sendKept(outcome, data, ends);
    }
    return undefined;
  }

  #sendKept(outcome: "kept" | "fenced" | "gone", data: readonly string[], ends: boolean): void {
    if (outcome !== "kept") return this.#fail(TAKEN_OVER);
    const final = ends ? data.length - 1 : -1;
    for (let i = 0; i < data.length; i++) this.#send(data[i]!, i === final);
    if (ends) this.#finish();
  }

  /** A client can resume from the beginning of the stream (MCP 2025-11-25, Transports, Sending Messages to the Server). */
  #open(): MaybePromise<boolean> {
    const home = this.#home;
    const { note, retry } = this.#options;
    const opening = { writer: this.#writer, ms: home.life, ...(note !== undefined && { note }) };
    const opened = home.retry(() => home.events.open(this.#at, opening));
    return andThen(opened, (outcome) => {
      this.#opened = outcome === "opened";
      const live = this.#live ?? this.#released;
      if (this.#opened && retry !== undefined && live !== undefined) this.prime(live, retry);
      this.#endReleased();
      return this.#opened;
    });
  }

  #append(data: readonly string[], ends: boolean): MaybePromise<"kept" | "fenced" | "gone"> {
    const home = this.#home;
    const append = { writer: this.#writer, first: this.#last + 1, data, ends, ms: ends ? home.lifeOfEnded : home.life };
    return home.retry(() => home.events.append(this.#at, append));
  }

  // ---- the response ----

  /** @param isFinal whether the response ends with it, in one write */
  #send(event: string, isFinal: boolean): void {
    this.#unkept -= event.length;
    this.#last++;
    if (this.#live === undefined) return;
    this.#sent = this.#last;
    if (isFinal) this.#live.end(event, `${this.name}.${this.#last}`);
    else void this.#live.write(encodeNumberedEvent(this.#idField, this.#last, event));
  }

  /** Sends an event with an id and no data, so that a client can resume from there. */
  prime(live: EventStream, retry: number): void {
    void live.write(encodeSseEvent({ id: `${this.name}.${this.#sent}`, retry, data: "" }));
  }

  /**
   * Makes `live` the response of this stream if it has sent the event `at` as the last one: what comes next is sent there, and once. The
   * response before ends.
   */
  continueOn(live: EventStream, at: number): boolean {
    if (at !== this.#last || this.#ended) return false;
    this.#sent = at;
    this.#attach(live);
    return true;
  }

  #attach(live: EventStream): void {
    this.release();
    this.#live = live;
    live.whenEnded(() => {
      if (this.#live === live) this.#live = undefined;
    });
  }

  /** Ends the response and not the stream. The client resumes it, here or at another node: so it must have an id first. */
  release(): void {
    const live = this.#live;
    this.#live = undefined;
    if (live !== undefined && !this.#opened && !this.#ended && this.#options.retry !== undefined) this.#released = live;
    else live?.end();
  }

  #endReleased(): void {
    this.#released?.end();
    this.#released = undefined;
  }

  // ---- the end ----

  #finish(why?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending = true;
    const live = this.#live;
    this.#live = undefined;
    this.#endReleased();
    if (why === undefined) live?.end();
    else live?.cut();
    this.#options.onEnd(why);
  }

  /** No event can be kept any more. The client resumes the stream at the node that has taken it over. */
  #fail(why: string): void {
    this.#waiting = NOTHING;
    this.#finish(why);
  }

  /** The log has failed in a way that no repeat mends, or too much waits for it. */
  #leave(error: unknown, why = "The event log has failed"): void {
    this.#home.report(error);
    this.#fail(why);
  }

  /** This process writes no more. The stream has not ended: another node takes it over, unless the session has ended. */
  leave(): void {
    this.#waiting = NOTHING;
    this.#finish();
  }
}

const TAKEN_OVER = "Another node has taken the stream over, or the session has ended";
