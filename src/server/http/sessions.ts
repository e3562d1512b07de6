/**
 * The sessions of an endpoint, and what is done with requests that belong to one (E4).
 *
 * The table is bounded in number and time; nothing is put into it before a body was read and found to be a handshake
 * (R5). A session of somebody else is answered like one that never was (R4).
 */
import { isPromise, type MaybePromise } from "../../base/maybe-promise.ts";
import { isRequest, type JSONRPCRequest } from "../../jsonrpc/message.ts";
import { ErrorCode, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isBatch, MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { isStatefulVersion, LATEST_HANDSHAKE_VERSION, STATEFUL_VERSIONS } from "../../protocol/versions.ts";
import { codecFor } from "../../wire/codecs.ts";
import type { Acceptor } from "../../dispatch/acceptor.ts";
import type { Timer } from "../../dispatch/clock.ts";
import type { EventStore } from "./event-store.ts";
import type { EventStream } from "./event-stream.ts";
import { ACCEPTED, EMPTY_HEADERS, refusal, SSE_HEADERS, type HttpRequest, type HttpResponse } from "./http-message.ts";
import type { Accepted } from "./media-type.ts";
import { MemoryEventStore } from "./memory-event-store.ts";
import { randomId } from "../../base/random-id.ts";
import { badRequest, notAcceptable, tooMany, unavailable } from "./refusals.ts";
import type { ResponseMode } from "./reply.ts";
import { parseEventId } from "./resumable-stream.ts";
import type { Serving } from "./serving.ts";
import { HttpSession, sessionNotFound, type SessionHost } from "./session.ts";
import { unref } from "./unref.ts";

/** How often sessions that nobody uses are looked for. */
const SWEEP_MS = 15_000;
/** Milliseconds a client has to come back after the handshake. */
const UNCONFIRMED_MS = 60_000;

const HEADER = "Mcp-Session-Id";

export class Sessions implements SessionHost {
  readonly serving: Serving;
  readonly store: EventStore;
  readonly #server: Acceptor;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #perPrincipal = new Map<string, number>();
  #timer: Timer | undefined;

  constructor(server: Acceptor, serving: Serving) {
    this.#server = server;
    this.serving = serving;
    this.store = serving.settings.eventStore ?? new MemoryEventStore({ clock: serving.settings.clock });
  }

  get size(): number {
    return this.#sessions.size;
  }

  // ---- POST ----

  /** Answers a POST of a stateful revision. */
  post(request: HttpRequest, incoming: Exclude<Incoming, MalformedMessage>, accepts: Accepted): MaybePromise<HttpResponse> {
    const mode = this.#modeFor(accepts);
    if (mode === undefined) return notAcceptable("application/json and text/event-stream", idOf(incoming));
    const id = request.header("mcp-session-id");
    if (id === undefined) {
      if (isHandshake(incoming)) return versionFault(request) ?? this.#open(request, incoming, mode);
      return badRequest(new ProtocolViolationError(`Bad request: header ${HEADER} is missing`), idOf(incoming));
    }
    const session = this.#find(id, request.principal);
    if (session === undefined) return sessionNotFound(idOf(incoming));
    return versionFault(request) ?? this.#deliver(request, session, incoming, mode);
  }

  /** What an older client may be answered with: it must take whatever there could be (E1.2). */
  #modeFor({ json, events }: Accepted): ResponseMode | undefined {
    const mode = this.serving.settings.responseMode;
    if (mode === "json") return json ? mode : undefined;
    return json && events ? mode : undefined;
  }

  #deliver(
    request: HttpRequest,
    session: HttpSession,
    incoming: Exclude<Incoming, MalformedMessage>,
    mode: ResponseMode,
  ): MaybePromise<HttpResponse> {
    session.confirmed = true;
    if (isBatch(incoming)) {
      if (!session.acceptsBatches) return badRequest(new ProtocolViolationError("Batches are not part of this protocol revision"));
    } else if (!isRequest(incoming)) {
      session.tellServer(incoming);
      return ACCEPTED;
    }
    if (this.serving.running >= this.serving.settings.maxRunning) return tooMany(503, "maxRunning", idOf(incoming));
    return session.post(incoming, mode, request);
  }

  #open(request: HttpRequest, message: JSONRPCRequest, mode: ResponseMode): MaybePromise<HttpResponse> {
    try {
      codecFor(LATEST_HANDSHAKE_VERSION).decodeParams(message.method, message.params);
    } catch (error) {
      return badRequest(
        error instanceof McpError
          ? new McpError(error.code, error.message, error.data)
          : new McpError(ErrorCode.InvalidParams, "Invalid request parameters"),
        message.id,
      );
    }
    const full = this.#refuse(request.principal);
    if (full !== undefined) return full;
    const session = new HttpSession(this, randomId(), request.principal);
    this.#add(session);
    return this.started(session, () => withSessionId(session, session.post(message, mode, request, true)));
  }

  /** Runs `then` once the server serves the session; 503 where it does not. */
  started(session: HttpSession, then: () => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    const starting = session.start(this.#server);
    if (!isPromise(starting)) return session.running ? then() : unavailable("The server is not available");
    return starting.then(
      () => (session.running ? then() : unavailable("The server is not available")),
      (error: unknown) => {
        this.serving.report(error);
        return unavailable("The server is not available");
      },
    );
  }

  #refuse(principal: string | undefined): HttpResponse | undefined {
    const { maxSessions, maxSessionsPerPrincipal } = this.serving.settings;
    if (this.#sessions.size >= maxSessions) return tooMany(503, "maxSessions");
    if (principal === undefined || (this.#perPrincipal.get(principal) ?? 0) < maxSessionsPerPrincipal) return undefined;
    return tooMany(429, "maxSessionsPerPrincipal");
  }

  // ---- GET and DELETE ----

  /** Opens the stream for what belongs to no request, or goes on with one that was lost. */
  get(request: HttpRequest, accepts: Accepted): MaybePromise<HttpResponse> {
    if (!accepts.events) return notAcceptable("text/event-stream");
    const session = this.#sessionOf(request);
    if (!(session instanceof HttpSession)) return session;
    const full = this.serving.refuseStaying(session.principal);
    if (full !== undefined) return tooMany(full, full === 429 ? "maxStreamsPerPrincipal" : "maxStreams");
    session.confirmed = true;
    const lastEventId = request.header("last-event-id");
    if (lastEventId === undefined) return this.#streamResponse(request, session, session.streams.openUnrelated());
    const position = parseEventId(lastEventId);
    return position === undefined ? unknownEvent() : this.#streamResponse(request, session, session.streams.resume(position));
  }

  #streamResponse(
    request: HttpRequest,
    session: HttpSession,
    opened: MaybePromise<EventStream | "unknown" | "evicted">,
  ): MaybePromise<HttpResponse> {
    if (!isPromise(opened)) return this.#toStream(request, session, opened);
    return opened.then(
      (stream) => this.#toStream(request, session, stream),
      (error: unknown) => {
        this.serving.report(error);
        return unavailable("The event store is not available");
      },
    );
  }

  #toStream(request: HttpRequest, session: HttpSession, opened: EventStream | "unknown" | "evicted"): HttpResponse {
    if (opened === "unknown") return unknownEvent();
    if (opened === "evicted")
      return refusal(410, { code: ErrorCode.InternalError, message: "Replay window exceeded: these events are gone" });
    const leave = this.serving.stay(session.principal);
    opened.whenEnded(leave);
    // The stream outlives it: the client comes back for the rest, with a token that is good.
    const forget = this.serving.endsWith(request.caller, () => opened.end());
    if (forget !== undefined) opened.whenEnded(forget);
    return { status: 200, headers: SSE_HEADERS, body: opened };
  }

  /** Ends a session. */
  delete(request: HttpRequest): MaybePromise<HttpResponse> {
    const session = this.#sessionOf(request);
    if (!(session instanceof HttpSession)) return session;
    void session.close();
    return { status: 204, headers: EMPTY_HEADERS };
  }

  #sessionOf(request: HttpRequest): HttpSession | HttpResponse {
    const id = request.header("mcp-session-id");
    if (id === undefined) return badRequest(new ProtocolViolationError(`Bad request: header ${HEADER} is missing`));
    return this.#find(id, request.principal) ?? sessionNotFound();
  }

  // ---- the table ----

  #find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session !== undefined && session.principal === principal ? session : undefined;
  }

  #add(session: HttpSession): void {
    this.#sessions.set(session.id, session);
    const { principal } = session;
    if (principal !== undefined) this.#perPrincipal.set(principal, (this.#perPrincipal.get(principal) ?? 0) + 1);
    if (this.#timer === undefined) this.#arm();
  }

  ended(session: HttpSession): void {
    if (this.#sessions.get(session.id) !== session) return;
    this.#sessions.delete(session.id);
    const { principal } = session;
    if (principal === undefined) return;
    const left = (this.#perPrincipal.get(principal) ?? 1) - 1;
    if (left === 0) this.#perPrincipal.delete(principal);
    else this.#perPrincipal.set(principal, left);
  }

  #arm(): void {
    this.#timer = this.serving.settings.clock.setTimer(SWEEP_MS, () => {
      this.#timer = undefined;
      this.#sweep();
      if (this.#sessions.size > 0) this.#arm();
    });
    unref(this.#timer);
  }

  #sweep(): void {
    const now = this.serving.now();
    const { sessionIdle, sessionAge } = this.serving.settings;
    for (const session of [...this.#sessions.values()]) {
      const unused = session.idle ? now - session.lastUsed : 0;
      const over = unused >= sessionIdle || (!session.confirmed && unused >= UNCONFIRMED_MS) || now - session.createdAt >= sessionAge;
      if (over) void session.close();
    }
  }

  /** Ends the streams that stay open, in good order. */
  endStreams(): void {
    for (const session of this.#sessions.values()) session.releaseUnrelated();
  }

  async close(): Promise<void> {
    if (this.#timer !== undefined) this.serving.settings.clock.clearTimer(this.#timer);
    this.#timer = undefined;
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
  }
}

function isHandshake(incoming: Incoming): incoming is JSONRPCRequest {
  return !isBatch(incoming) && !(incoming instanceof MalformedMessage) && isRequest(incoming) && incoming.method === "initialize";
}

function idOf(incoming: Incoming): JSONRPCRequest["id"] | null {
  return !isBatch(incoming) && !(incoming instanceof MalformedMessage) && isRequest(incoming) ? incoming.id : null;
}

/** A revision that is named must be one that has sessions (E5.2). */
export function versionFault(request: HttpRequest): HttpResponse | undefined {
  const version = request.header("mcp-protocol-version");
  if (version === undefined || isStatefulVersion(version)) return undefined;
  return badRequest(new ProtocolViolationError("Bad request: unsupported protocol version", { supported: STATEFUL_VERSIONS }));
}

function unknownEvent(): HttpResponse {
  return badRequest(new ProtocolViolationError("Bad request: unknown event id"));
}

function withSessionId(session: HttpSession, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
  if (isPromise(response)) return response.then((known) => withSessionId(session, known));
  // A handshake that failed leaves nothing behind.
  if (session.version === undefined && typeof response.body === "string") {
    void session.close();
    return response;
  }
  return { ...response, headers: [...response.headers, HEADER, session.id] };
}
