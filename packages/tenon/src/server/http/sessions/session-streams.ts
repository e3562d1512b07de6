/**
 * The streams of one session at this process: one for each POST that needs one, and one for messages that belong to no request, which the
 * client opens with GET. A GET can also resume a stream whose connection was lost.
 */
import { andThen, type MaybePromise, attempt } from "../../../base/maybe-promise.ts";
import type { RequestId } from "../../../jsonrpc/message.ts";
import type { EventStream } from "../exchange/event-stream.ts";
import type { OpenedStream } from "../exchange/reply.ts";
import { type HttpRequest, type HttpResponse, refusal, SSE_HEADERS } from "../http-message.ts";
import { FollowedStream, parseEventId, type EventPosition } from "./followed-stream.ts";
import type { SessionRequests } from "./shared-session.ts";
import type { StreamHome } from "./stream-home.ts";
import type { Opened, StandingStream, StreamedRequests, Streams, StreamsOwner } from "./streams.ts";
import { WrittenStream, type WrittenStreamOptions } from "./written-stream.ts";
import { ErrorCode, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import { badRequest, sessionNotFound, unavailable } from "../refusals.ts";

export interface KeptStreams {
  readonly home: StreamHome;
  readonly standing: StandingStream;
}

export class SessionStreams implements Streams {
  readonly #owner: StreamsOwner;
  readonly #requests: SessionRequests;
  readonly #begin: (streams: SessionStreams) => KeptStreams;
  /** Made with the first stream, because most sessions have none. */
  #kept: KeptStreams | undefined;
  /** The streams that this process writes, by name. */
  #written: Map<string, WrittenStream> | undefined;

  constructor(owner: StreamsOwner, requests: SessionRequests, begin: (streams: SessionStreams) => KeptStreams) {
    this.#owner = owner;
    this.#requests = requests;
    this.#begin = begin;
  }

  get #keeping(): KeptStreams {
    return (this.#kept ??= this.#begin(this));
  }

  get address(): string | undefined {
    return this.#owner.address;
  }

  // ---- for POSTs and for messages that belong to no request ----

  openPost(requests: StreamedRequests): OpenedStream {
    const body = this.#owner.openBody();
    const note = this.#keeping.home.others?.noteOf(requests);
    return { messages: this.write(requests.ids, { note, retry: this.#owner.retry, body }), body };
  }

  /** Begins to write a stream. @param ids the requests whose handlers are aborted if it can take no more */
  write(ids: readonly RequestId[], options: Omit<WrittenStreamOptions, "home" | "onEnd">): WrittenStream {
    const onEnd = (why?: string): void => {
      this.#written?.delete(stream.name);
      if (why !== undefined) this.#requests.abort(ids, why);
    };
    const stream: WrittenStream = new WrittenStream({ ...options, home: this.#keeping.home, onEnd });
    (this.#written ??= new Map()).set(stream.name, stream);
    stream.begin();
    return stream;
  }

  sendUnrelated(data: string): MaybePromise<void> {
    return this.#keeping.standing.send(data);
  }

  // ---- for GET ----

  get(request: HttpRequest): MaybePromise<HttpResponse> {
    return respondToGet(this.#owner, request, (lastEventId) => this.#open(request, lastEventId));
  }

  #open(request: HttpRequest, lastEventId: string | undefined): MaybePromise<Opened> {
    return andThen(this.#keeping.standing.open(request, lastEventId), (opened) => {
      if (opened !== undefined) return opened;
      const position = parseEventId(lastEventId ?? "");
      return position === undefined ? "unknown" : this.#resume(position, request);
    });
  }

  async #resume(position: EventPosition, request: HttpRequest): Promise<Opened> {
    const body = this.#owner.openBody();
    try {
      const why = await this.follow(position, request, body);
      if (why === undefined) return body;
      body.gone();
      return why;
    } catch (error) {
      body.gone();
      throw error;
    }
  }

  /** Sends what follows on a stream to `body`. Returns why, if it cannot. @throws StoreUnavailableError */
  follow(position: EventPosition, request: HttpRequest, body: EventStream): Promise<"unknown" | "evicted" | undefined> {
    const own = (): WrittenStream | undefined => this.#written?.get(position.stream);
    return new FollowedStream({ home: this.#keeping.home, position, request, body, own }).begin();
  }

  writes(stream: string): boolean {
    return this.#written?.has(stream) === true;
  }

  /** Ends the response of a stream, because the client has resumed it at another node. */
  release(stream: string): void {
    this.#written?.get(stream)?.release();
  }

  releaseUnrelated(): void {
    this.#kept?.standing.release();
  }

  /** Lets the log keep the streams for as long as the session, however long they are quiet. @throws StoreUnavailableError */
  async renew(): Promise<void> {
    for (const stream of this.#written?.values() ?? []) stream.renew();
    await this.#keeping.standing.renew();
  }

  // ---- the end ----

  end(): void {
    if (this.#kept === undefined) return;
    this.#kept.standing.close();
    for (const stream of [...(this.#written?.values() ?? [])]) stream.leave();
    this.#kept.home.ended();
  }
}

/** Responds with the stream that `open` finds for the `Last-Event-ID` of the request. */
function respondToGet(
  state: StreamsOwner,
  request: HttpRequest,
  open: (lastEventId: string | undefined) => MaybePromise<Opened>,
): MaybePromise<HttpResponse> {
  const { serving, share } = state;
  const full = serving.longLived.refuse(share);
  if (full !== undefined) return full;
  state.confirmed = true;
  const opened = attempt<Opened, Opened>(
    () => open(request.header("last-event-id")),
    (error) => {
      serving.report(error);
      return "failed";
    },
  );
  return andThen(opened, (stream) => toResponse(state, request, stream));
}

function toResponse({ serving, share }: StreamsOwner, { caller }: HttpRequest, opened: Opened): HttpResponse {
  if (opened === "failed") return unavailable("The event store is not available");
  if (opened === "ended") return sessionNotFound();
  if (opened === "unknown") return badRequest(new ProtocolViolationError("Bad request: unknown event id"));
  if (opened === "evicted")
    return refusal(410, { code: ErrorCode.InternalError, message: "Replay window exceeded: these events are gone" });
  opened.whenEnded(serving.longLived.open(share));
  // The stream outlives this response: the client resumes it with a new token.
  const forget = serving.endWithToken(caller, () => opened.end());
  if (forget !== undefined) opened.whenEnded(forget);
  return { status: 200, headers: SSE_HEADERS, body: opened };
}
