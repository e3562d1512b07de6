/**
 * The streams of one session: one for each POST that needs one, and one for what belongs to no request, which the
 * client opens with GET (E2). Made when a session needs the first of them.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import type { EventStore } from "./event-store.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { MessageStream } from "../exchange/reply.ts";
import { ResumableStream, type EventPosition, type StreamOwner } from "./resumable-stream.ts";

/** The session, as its streams see it. */
export interface StreamsOwner {
  readonly id: string;
  readonly store: EventStore;
  /** Characters that may wait on a stream. */
  readonly maxBuffered: number;
  /** Milliseconds after which a client may come back, where its revision knows of that; else undefined (E1.9). */
  readonly retry: number | undefined;
  /** A response that goes on, which holds the session while it is open. */
  openBody(): EventStream;
  report(error: unknown): void;
}

export class SessionStreams implements StreamOwner {
  readonly #owner: StreamsOwner;
  /** Those that have not ended. */
  readonly #streams = new Map<string, ResumableStream>();
  #unrelated: ResumableStream | undefined;

  constructor(owner: StreamsOwner) {
    this.#owner = owner;
  }

  get id(): string {
    return this.#owner.id;
  }

  get store(): EventStore {
    return this.#owner.store;
  }

  get maxBuffered(): number {
    return this.#owner.maxBuffered;
  }

  report(error: unknown): void {
    this.#owner.report(error);
  }

  streamEnded(stream: ResumableStream): void {
    this.#streams.delete(stream.name);
    if (this.#unrelated === stream) this.#unrelated = undefined;
  }

  #open(): ResumableStream {
    const stream = new ResumableStream(this);
    this.#streams.set(stream.name, stream);
    return stream;
  }

  /** The stream of one POST. */
  openPost(): { messages: MessageStream; body: EventStream } {
    const body = this.#owner.openBody();
    const messages = this.#open();
    messages.attach(body);
    this.#prime(messages, body);
    return { messages, body };
  }

  #prime(stream: ResumableStream, body: EventStream): void {
    const { retry } = this.#owner;
    if (retry !== undefined) stream.prime(body, retry);
  }

  /** Says something that belongs to no request; kept until the client opens the stream for it. */
  sendUnrelated(data: string): MaybePromise<void> {
    return (this.#unrelated ??= this.#open()).send(data);
  }

  /** The stream for what belongs to no request. The newest GET gets it; what was not sent yet comes first. */
  openUnrelated(): MaybePromise<EventStream> {
    const stream = (this.#unrelated ??= this.#open());
    const body = this.#owner.openBody();
    this.#prime(stream, body);
    if (stream.unsent === 0) {
      stream.attach(body);
      return body;
    }
    return stream.resume(body, stream.sent).then((why) => {
      if (why === undefined) return body;
      this.report(new LimitExceededError("eventStore", stream.unsent));
      stream.skip(body);
      return body;
    });
  }

  /** Ends the stream of GET, in good order; the client may come back. */
  releaseUnrelated(): void {
    this.#unrelated?.release();
  }

  /** The rest of a stream whose connection was lost (E3.2, E3.3), or why there is none. */
  async resume({ stream: name, number }: EventPosition): Promise<EventStream | "unknown" | "evicted"> {
    const stream = this.#streams.get(name);
    const body = this.#owner.openBody();
    const why = stream === undefined ? await this.#replayEnded(body, name, number) : await stream.resume(body, number);
    if (why === undefined) return body;
    body.gone();
    return why;
  }

  async #replayEnded(body: EventStream, name: string, number: number): Promise<"unknown" | "evicted" | undefined> {
    const replay = await this.store.after(this.id, name, number);
    if (typeof replay === "string") return replay;
    for (const event of replay) void body.send(event.data, `${name}.${event.number}`);
    body.end();
    return undefined;
  }

  /** Ends all of them; nothing more will be said. */
  end(): void {
    for (const stream of [...this.#streams.values()]) stream.end();
  }
}
