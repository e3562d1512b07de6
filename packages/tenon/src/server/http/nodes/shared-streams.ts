/** The streams of one session of a fleet at this node: those of POSTs, and the one for messages that belong to no request. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { randomId } from "../../../base/bytes.ts";
import { ConnectionClosedError } from "../../../jsonrpc/mcp-error.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import { respondToGet, type Opened } from "../sessions/get-response.ts";
import { parseEventId, type EventPosition } from "../sessions/resumable-stream.ts";
import type { SessionRequests } from "../sessions/shared-session.ts";
import type { StreamedRequests, Streams, StreamsOwner } from "../sessions/streams.ts";
import type { Fleet } from "./fleet.ts";
import { insist } from "./insist.ts";
import { FollowedStream } from "./followed-stream.ts";
import { GetHolder, type StreamedSession } from "./get-holder.ts";
import { cursorOf } from "./get-stream.ts";
import { noteOf } from "./lost-call.ts";
import { RepeatedMessages, type RepeatedCall } from "./repeated-call.ts";
import { WrittenStream, type WrittenStreamOptions } from "./written-stream.ts";

/** An event id of a GET stream: the name of the stream, and the cursor. */
const GET_EVENT_ID = /^([\w-]{22})\.(\d{1,15}-\d{1,15})$/;

interface SharedStreamsOptions {
  readonly owner: StreamsOwner;
  readonly requests: SessionRequests;
}

/** A GET with which a client resumes a stream. */
interface Resumption {
  readonly request: HttpRequest;
  readonly body: EventStream;
}

export class SharedStreams implements Streams {
  readonly #fleet: Fleet;
  readonly #session: StreamedSession;
  readonly #owner: StreamsOwner;
  readonly #requests: SessionRequests;
  /** The streams that this node writes, by name. */
  readonly #written = new Map<string, WrittenStream>();
  readonly #get: GetHolder;

  constructor(fleet: Fleet, session: StreamedSession, { owner, requests }: SharedStreamsOptions) {
    this.#fleet = fleet;
    this.#session = session;
    this.#owner = owner;
    this.#requests = requests;
    this.#get = new GetHolder(fleet, session, owner);
  }

  get address(): string | undefined {
    return this.#owner.address;
  }

  // ---- for POSTs ----

  openPost(requests: StreamedRequests): OpenedStream {
    const { retry } = this.#owner;
    const body = this.#owner.openBody();
    const note = noteOf(this.#fleet.server, requests);
    const messages = this.#write(note.ids, { note, retry, body });
    return { messages, body };
  }

  #write(ids: readonly RequestId[], options: Pick<WrittenStreamOptions, "note" | "retry" | "body" | "adopted">): WrittenStream {
    const onEnd = (why?: string): void => {
      this.#written.delete(messages.name);
      if (why !== undefined) this.#requests.abort(ids, why);
    };
    const { id: session, life } = this.#session;
    const messages = new WrittenStream({ ...options, fleet: this.#fleet, session, life, onEnd });
    this.#written.set(messages.name, messages);
    return messages;
  }

  /** Runs a call again on a stream that this node has taken over, for the client that has come back. */
  #repeat(name: string, { call, writer, last, progress }: RepeatedCall, { request, body }: Resumption): boolean {
    const { serving } = this.#fleet;
    if (serving.draining || serving.running >= serving.limits.maxRunning) return false;
    const written = this.#write([call.id], { retry: undefined, adopted: { name, writer, last } });
    const stream = { messages: new RepeatedMessages(written, progress), body };
    this.#requests.repeat({ incoming: call, mode: "sse", request, stream });
    return true;
  }

  /** A client has resumed a stream at another node. */
  resumedElsewhere(stream: string): void {
    this.#written.get(stream)?.release();
  }

  // ---- for messages that belong to no request ----

  sendUnrelated(data: string): MaybePromise<void> {
    const { delivering } = this.#fleet.changes;
    if (delivering !== undefined) return this.#get.stream?.sendChange(data, delivering);
    return this.#add(data);
  }

  async #add(data: string): Promise<void> {
    const { stores } = this.#fleet;
    const { id: session, life, record } = this.#session;
    const addition = { key: randomId(), data: [data], ms: life };
    const last = await insist(this.#fleet, () => stores.events.add({ session, stream: record.stream }, addition));
    if (last === "gone") throw new ConnectionClosedError("The session has ended");
    await this.#get.tellOfMessage();
  }

  // ---- for GET ----

  get(request: HttpRequest): MaybePromise<HttpResponse> {
    return respondToGet(this.#owner, request, (lastEventId) => this.#open(request, lastEventId));
  }

  #open(request: HttpRequest, lastEventId: string | undefined): MaybePromise<Opened> {
    if (lastEventId === undefined) return this.#get.open();
    const position = parseEventId(lastEventId);
    if (position !== undefined) return this.#resumePost(position, request);
    const [, stream, text = ""] = GET_EVENT_ID.exec(lastEventId) ?? [];
    return stream === this.#session.record.stream ? this.#get.open(cursorOf(text)) : "unknown";
  }

  async #resumePost(position: EventPosition, request: HttpRequest): Promise<Opened> {
    const body = this.#owner.openBody();
    const { id: session, life } = this.#session;
    const isOwn = (): boolean => this.#written.has(position.stream);
    const repeat = (call: RepeatedCall): boolean => this.#repeat(position.stream, call, { request, body });
    try {
      const followed = new FollowedStream({ fleet: this.#fleet, session, position, body, life, isOwn, repeat });
      const why = await followed.begin();
      if (why === undefined) return body;
      body.gone();
      return why;
    } catch (error) {
      body.gone();
      throw error;
    }
  }

  /** Lets the log keep the streams for as long as the session, however long they are quiet. @throws StoreUnavailableError */
  async renew(): Promise<void> {
    for (const stream of this.#written.values()) stream.renew();
    await this.#get.renew();
  }

  // ---- the end ----

  releaseUnrelated(): void {
    this.#get.release();
  }

  end(): void {
    this.#get.close();
    for (const stream of [...this.#written.values()]) stream.leave();
  }
}
