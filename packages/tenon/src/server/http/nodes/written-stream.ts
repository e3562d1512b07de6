/**
 * The stream of one POST that this node runs. Each event is in the log before it is sent, under a writer's name of its own: if another node
 * has taken the stream over, the log refuses the event, and the handlers are aborted. The events of one turn are one write.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { randomId } from "../../../base/bytes.ts";
import { ErrorCode, LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import { encodeNumberedEvent, encodeSseEvent } from "../../../jsonrpc/sse.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { MessageStream } from "../exchange/reply.ts";
import type { Fleet } from "./fleet.ts";
import { insist } from "./insist.ts";
import type { StreamNote } from "./lost-call.ts";

/** Events of one write. */
const MAX_BATCH = 256;

export interface WrittenStreamOptions {
  readonly fleet: Fleet;
  readonly session: string;
  /** What the log keeps of the requests. The log has that of an adopted stream already. */
  readonly note?: StreamNote;
  /** Milliseconds for which the stream is kept after a write. */
  readonly life: number;
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
  readonly #idField: string;
  readonly #writer: string;
  #live: EventStream | undefined;
  #waiting: string[] = [];
  /** Characters that the log has not taken yet. */
  #unkept = 0;
  /** Whether the log has the stream. */
  #opened: boolean;
  /** The number of the last event in the log. */
  #last: number;
  #ending = false;
  #ended = false;
  /** Whether the log must keep the stream for longer, although there is no event. */
  #renewing = false;
  /** Resolves when the log has taken what waits. */
  #keeping: Promise<void> | undefined;

  constructor(options: WrittenStreamOptions) {
    const { adopted, body, fleet } = options;
    this.#options = options;
    this.name = adopted?.name ?? randomId();
    this.#idField = `id: ${this.name}.`;
    this.#writer = adopted?.writer ?? fleet.node.nextWriter();
    this.#opened = adopted !== undefined;
    this.#last = adopted?.last ?? 0;
    this.#live = body;
    body?.whenEnded(() => this.release());
    this.#keep();
  }

  get crowded(): boolean {
    return this.#unkept > this.#options.fleet.serving.limits.maxBuffered / 2 || this.#live?.crowded === true;
  }

  whenRead(): MaybePromise<void> {
    return this.#keeping ?? this.#live?.whenRead();
  }

  send(data: string): MaybePromise<void> {
    if (this.#ending) return undefined;
    this.#add(data);
    return this.whenRead();
  }

  end(data?: string): void {
    if (this.#ending) return;
    this.#ending = true;
    if (data === undefined) this.#keep();
    else this.#add(data);
  }

  #add(data: string): void {
    const { maxBuffered } = this.#options.fleet.serving.limits;
    if (this.#unkept > maxBuffered && !this.#ending)
      return this.#fail(new LimitExceededError("limits.maxBuffered", maxBuffered, this.#unkept, ErrorCode.InternalError).message);
    this.#waiting.push(data);
    this.#unkept += data.length;
    this.#keep();
  }

  /** Lets the log keep the stream for longer. */
  renew(): void {
    this.#renewing = true;
    this.#keep();
  }

  /** Writes what waits, one write at a time. */
  #keep(): void {
    this.#keeping ??= Promise.resolve()
      .then(() => this.#write())
      .catch((error: unknown) => this.#leave(error))
      .finally(() => {
        this.#keeping = undefined;
        if (this.#hasWork) this.#keep(); // came after the last look of `#write`
      });
  }

  get #hasWork(): boolean {
    return !this.#ended && (this.#waiting.length > 0 || this.#ending || this.#renewing);
  }

  async #write(): Promise<void> {
    if (!this.#opened && !(await this.#open())) return this.#fail(TAKEN_OVER);
    while (this.#hasWork) {
      this.#renewing = false;
      const data = this.#waiting.splice(0, MAX_BATCH);
      const ends = this.#ending && this.#waiting.length === 0;
      const outcome = await this.#append(data, ends);
      if (outcome !== "kept") return this.#fail(TAKEN_OVER);
      for (const event of data) this.#send(event);
      if (ends) this.#finish();
    }
  }

  /** A client can resume from the beginning of the stream (MCP 2025-11-25, Transports, Sending Messages to the Server). */
  async #open(): Promise<boolean> {
    const { fleet, session, note, life, retry } = this.#options;
    const opening = { writer: this.#writer, note: JSON.stringify(note), ms: life };
    const outcome = await insist(fleet, () => fleet.stores.events.open({ session, stream: this.name }, opening));
    this.#opened = outcome === "opened";
    if (this.#opened && retry !== undefined) void this.#live?.write(encodeSseEvent({ id: `${this.name}.0`, retry, data: "" }));
    return this.#opened;
  }

  #append(data: readonly string[], ends: boolean): Promise<"kept" | "fenced" | "gone"> {
    const { fleet, session, life } = this.#options;
    const append = { writer: this.#writer, first: this.#last + 1, data, ends, ms: life };
    return insist(fleet, () => fleet.stores.events.append({ session, stream: this.name }, append));
  }

  #send(event: string): void {
    this.#unkept -= event.length;
    this.#last++;
    void this.#live?.write(encodeNumberedEvent(this.#idField, this.#last, event));
  }

  #finish(why?: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#ending = true;
    const live = this.#live;
    this.#live = undefined;
    if (why === undefined) live?.end();
    else live?.cut();
    this.#options.onEnd(why);
  }

  /** No event can be kept any more. The client resumes the stream at the node that has taken it over. */
  #fail(why: string): void {
    this.#waiting = [];
    this.#finish(why);
  }

  /** The node leaves, or the log has failed in a way that no repeat mends. */
  #leave(error: unknown): void {
    const { left, serving } = this.#options.fleet;
    if (!left.aborted) serving.report(error);
    this.#fail("The event log has failed");
  }

  /** This node writes no more. The stream has not ended: another node takes it over, unless the session has ended. */
  leave(): void {
    this.#waiting = [];
    this.#finish();
  }

  /** Ends the response and not the stream. The client resumes it, here or at another node. */
  release(): void {
    const live = this.#live;
    this.#live = undefined;
    live?.end();
  }
}

const TAKEN_OVER = "Another node has taken the stream over, or the session has ended";
