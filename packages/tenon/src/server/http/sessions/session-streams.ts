/**
 * The streams of one session: one for each POST that needs one, and one for messages that belong to no request, which the client opens
 * with GET. A GET can also resume a stream whose connection was lost.
 */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { LimitExceededError } from "../../../jsonrpc/mcp-error.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import { respondToGet, type Opened } from "./get-response.ts";
import { parseEventId, ResumableStream, type EventPosition } from "./resumable-stream.ts";
import type { SessionState } from "./session-state.ts";
import type { Streams } from "./streams.ts";

export class SessionStreams implements Streams {
  readonly #state: SessionState;
  /** The streams that have not ended. Made with the first stream, because most sessions have none. */
  #streams: Map<string, ResumableStream> | undefined;
  #unrelated: ResumableStream | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** The address that the session was opened from. */
  get address(): string | undefined {
    return this.#state.address;
  }

  // ---- for POSTs and for messages that belong to no request ----

  /** Opens the stream of one POST. It cannot be resumed if the session lasts for one POST. */
  openPost(): OpenedStream {
    const body = this.#state.openBody();
    if (this.#state.singlePost) return { messages: body, body };
    const messages = this.#create();
    messages.attach(body);
    this.#prime(messages, body);
    return { messages, body };
  }

  /** Sends a message that belongs to no request. It is kept until the client opens the GET stream. */
  sendUnrelated(data: string): MaybePromise<void> {
    return this.#state.singlePost ? undefined : (this.#unrelated ??= this.#create()).send(data);
  }

  #create(): ResumableStream {
    const stream = new ResumableStream(this.#state, () => {
      this.#streams?.delete(stream.name);
      if (this.#unrelated === stream) this.#unrelated = undefined;
    });
    (this.#streams ??= new Map()).set(stream.name, stream);
    return stream;
  }

  #prime(stream: ResumableStream, body: EventStream): void {
    const { retry } = this.#state;
    if (retry !== undefined) stream.prime(body, retry);
  }

  // ---- for GET ----

  get(request: HttpRequest): MaybePromise<HttpResponse> {
    return respondToGet(this.#state, request, (lastEventId) => this.#open(lastEventId));
  }

  #open(lastEventId: string | undefined): MaybePromise<Opened> {
    if (lastEventId === undefined) return this.#openUnrelated();
    const position = parseEventId(lastEventId);
    return position === undefined ? "unknown" : this.#resume(position);
  }

  /** Opens the stream for messages that belong to no request. The newest GET gets it. Kept messages come first. */
  #openUnrelated(): MaybePromise<EventStream> {
    const stream = (this.#unrelated ??= this.#create());
    const body = this.#state.openBody();
    this.#prime(stream, body);
    if (stream.unsent === 0) {
      stream.attach(body);
      return body;
    }
    return stream.resume(body, stream.sent).then((why) => {
      if (why === undefined) return body;
      this.#state.serving.report(new LimitExceededError("sessions.eventStore", stream.unsent));
      stream.skip(body);
      return body;
    });
  }

  /** Resumes a stream whose connection was lost, or returns why it cannot. */
  async #resume({ stream: name, number }: EventPosition): Promise<Opened> {
    const stream = this.#streams?.get(name);
    const body = this.#state.openBody();
    const why = stream === undefined ? await this.#replayEnded(body, name, number) : await stream.resume(body, number);
    if (why === undefined) return body;
    body.gone();
    return why;
  }

  async #replayEnded(body: EventStream, name: string, number: number): Promise<"unknown" | "evicted" | undefined> {
    const { store, id } = this.#state;
    const replay = await store.after(id, name, number);
    if (typeof replay === "string") return replay;
    for (const event of replay) void body.send(event.data, `${name}.${event.number}`);
    body.end();
    return undefined;
  }

  // ---- the end ----

  /** Ends the response to GET in order. The client may resume it. */
  releaseUnrelated(): void {
    this.#unrelated?.release();
  }

  /** Ends all streams. */
  end(): void {
    for (const stream of [...(this.#streams?.values() ?? [])]) stream.end();
  }
}
