/** The streams of one session of a fleet at this node. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";
import { randomId } from "../../../base/bytes.ts";
import { ConnectionClosedError } from "../../../jsonrpc/mcp-error.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import type { HttpRequest, HttpResponse } from "../http-message.ts";
import { respondToGet, type Opened } from "../sessions/get-response.ts";
import { parseEventId, type EventPosition } from "../sessions/resumable-stream.ts";
import type { AbortRequests } from "../sessions/shared-session.ts";
import type { SessionState } from "../sessions/session-state.ts";
import type { StreamedRequests, Streams } from "../sessions/streams.ts";
import { insist, type Fleet } from "./fleet.ts";
import { FollowedStream } from "./followed-stream.ts";
import { cursorOf, GetStream, textOf, type Cursor } from "./get-stream.ts";
import { noteOf } from "./lost-call.ts";
import type { FleetSession } from "./shared-session.ts";
import { WrittenStream } from "./written-stream.ts";

/** Milliseconds that a new GET waits for the one before, which may be at another node. */
const HANDOVER_MS = 300;
/** An event id of a GET stream: the name of the stream, and the cursor. */
const GET_EVENT_ID = /^([\w-]{22})\.(\d{1,15}-\d{1,15})$/;

interface SharedStreamsOptions {
  readonly state: SessionState;
  readonly abort: AbortRequests;
}

export class SharedStreams implements Streams {
  readonly #fleet: Fleet;
  readonly #session: FleetSession;
  readonly #state: SessionState;
  readonly #abort: AbortRequests;
  /** The streams that this node writes, by name. */
  readonly #written = new Map<string, WrittenStream>();
  #get: GetStream | undefined;

  constructor(fleet: Fleet, session: FleetSession, { state, abort }: SharedStreamsOptions) {
    this.#fleet = fleet;
    this.#session = session;
    this.#state = state;
    this.#abort = abort;
  }

  get address(): string | undefined {
    return this.#state.address;
  }

  // ---- for POSTs ----

  openPost(requests: StreamedRequests): OpenedStream {
    const { retry } = this.#state;
    const body = this.#state.openBody();
    const note = noteOf(this.#fleet.server, requests);
    const onEnd = (why?: string): void => {
      this.#written.delete(messages.name);
      if (why !== undefined) this.#abort(requests.ids, why);
    };
    const { id: session, life } = this.#session;
    const messages = new WrittenStream({ fleet: this.#fleet, session, note, life, retry, body, onEnd });
    this.#written.set(messages.name, messages);
    return { messages, body };
  }

  /** A client has resumed a stream at another node. */
  resumedElsewhere(stream: string): boolean {
    const written = this.#written.get(stream);
    written?.release();
    return written !== undefined;
  }

  // ---- for messages that belong to no request ----

  sendUnrelated(data: string): MaybePromise<void> {
    const { delivering } = this.#fleet.changes;
    if (delivering !== undefined) return this.#get?.sendChange(data, delivering);
    return this.#add(data);
  }

  async #add(data: string): Promise<void> {
    const { stores } = this.#fleet;
    const { id: session, life } = this.#session;
    const addition = { key: randomId(), data: [data], ms: life };
    const last = await insist(this.#fleet, () => stores.events.add({ session, stream: this.#stream }, addition));
    if (last === "gone") throw new ConnectionClosedError("The session has ended");
    await stores.bus.publish(this.#topic, "message");
  }

  get #stream(): string {
    return this.#session.record.stream;
  }

  /** What nodes tell each other of the GET of this session. */
  get #topic(): string {
    return `g.${this.#session.id}`;
  }

  // ---- for GET ----

  get(request: HttpRequest): MaybePromise<HttpResponse> {
    return respondToGet(this.#state, request, (lastEventId) => this.#open(lastEventId));
  }

  #open(lastEventId: string | undefined): MaybePromise<Opened> {
    if (lastEventId === undefined) return this.#openGet();
    const position = parseEventId(lastEventId);
    if (position !== undefined) return this.#resumePost(position);
    const [, stream, text = ""] = GET_EVENT_ID.exec(lastEventId) ?? [];
    return stream === this.#stream ? this.#openGet(cursorOf(text)) : "unknown";
  }

  async #resumePost(position: EventPosition): Promise<Opened> {
    const body = this.#state.openBody();
    const { id: session, life } = this.#session;
    const isOwn = (): boolean => this.#written.has(position.stream);
    const followed = new FollowedStream({ fleet: this.#fleet, session, position, body, life, isOwn });
    const why = await followed.begin();
    if (why === undefined) return body;
    body.gone();
    return why;
  }

  /** The newest GET gets the messages; the one before ends, wherever it is. */
  async #openGet(resumed?: Cursor): Promise<Opened> {
    const id = randomId();
    const { bus } = this.#fleet.stores;
    let handedOver: (cursor: Cursor | undefined) => void = () => undefined;
    let stream: GetStream | undefined;
    const stop = await bus.subscribe(this.#topic, (text) => {
      const [kind, holder, cursor = ""] = text.split(" ");
      if (kind === "message") stream?.look();
      else if (kind === "left" && holder === id) handedOver(cursorOf(cursor));
      else if (kind === "get" && holder !== id && stream !== undefined) void this.#handOver(stream, holder!);
    });
    const cursor = resumed ?? (await this.#lastCursor(id, (listener) => (handedOver = listener)));
    if (resumed !== undefined) await bus.publish(this.#topic, `get ${id}`);
    stream = this.#begin(cursor, stop);
    return stream.body;
  }

  #begin(cursor: Cursor, stop: () => void): GetStream {
    const { retry } = this.#state;
    const body = this.#state.openBody();
    const { id: session } = this.#session;
    const save = (at: Cursor): Promise<void> => this.#save(at);
    const options = { fleet: this.#fleet, session, dispatcher: this.#state.dispatcher!, stream: this.#stream, body, cursor, retry, save };
    const stream = new GetStream(options);
    this.#get = stream;
    body.whenEnded(() => {
      stop();
      if (this.#get === stream) this.#get = undefined;
    });
    stream.begin();
    return stream;
  }

  async #handOver(stream: GetStream, to: string): Promise<void> {
    stream.body.end();
    await this.#fleet.stores.bus.publish(this.#topic, `left ${to} ${textOf(stream.cursor)}`);
  }

  /** Where the client is, if its GET does not say so: where the GET before has ended, or ends now. */
  async #lastCursor(id: string, listen: (listener: (cursor: Cursor | undefined) => void) => void): Promise<Cursor> {
    const { bus, keyed } = this.#fleet.stores;
    const { clock } = this.#fleet.serving;
    const entry = await keyed.read(this.#cursorKey);
    const left = new Promise<Cursor | undefined>((resolve) => {
      listen(resolve);
      if (entry === undefined || !entry.value.startsWith("open ")) resolve(undefined);
      else clock.setTimer(HANDOVER_MS, () => resolve(undefined));
    });
    await bus.publish(this.#topic, `get ${id}`);
    const saved = entry && cursorOf(entry.value.slice(entry.value.indexOf(" ") + 1));
    return (await left) ?? saved ?? { message: 0, change: this.#session.record.change };
  }

  async #save(cursor: Cursor): Promise<void> {
    const { keyed } = this.#fleet.stores;
    const value = `${this.#get === undefined ? "left" : "open"} ${textOf(cursor)}`;
    for (let entry = await keyed.read(this.#cursorKey); ; entry = await keyed.read(this.#cursorKey)) {
      if ((await keyed.swap(this.#cursorKey, entry?.version, { value, ms: this.#session.life })) !== undefined) return;
    }
  }

  get #cursorKey(): string {
    return `cursor ${this.#session.id}`;
  }

  // ---- the end ----

  releaseUnrelated(): void {
    this.#get?.body.end();
  }

  end(): void {
    this.releaseUnrelated();
    for (const stream of [...this.#written.values()]) stream.release();
  }
}
