/**
 * Handles requests that open a session, belong to one, or end it (MCP 2025-11-25, Transports, Session Management).
 *
 * A session is opened only after a body was read that is a valid handshake, so that other requests use no memory.
 */
import { unref } from "../../../base/clock.ts";
import { Late } from "../../../base/late.ts";
import { andThen, attempt, isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, isRequest, type JSONRPCRequest } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming, MalformedMessage } from "../../../jsonrpc/incoming.ts";
import { isStatefulVersion, LATEST_HANDSHAKE_VERSION, STATEFUL_VERSIONS } from "../../../protocol/versions.ts";
import { LENIENT, STRICT, type Reading } from "../../../wire/deviations.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import {
  ACCEPTED_202,
  type AcceptHeader,
  EMPTY_HEADERS,
  type HttpRequest,
  type HttpResponse,
  jsonResponse,
  singleEventResponse,
} from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import { badRequest, isStoreUnavailable, noBatches, notAcceptable, sessionNotFound, tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import { Session } from "./session.ts";
import { type SessionDirectory, SessionTable } from "./session-table.ts";
import type { SharedSessions } from "../nodes/shared-sessions.ts";

const HEADER = "Mcp-Session-Id";
/** Milliseconds after which a node tries again to join the others. */
const REJOIN_MS = 500;

export type ParsedBody = Exclude<Incoming, MalformedMessage>;

export class Sessions {
  readonly table: SessionTable;
  readonly #server: Acceptor;
  readonly #serving: Serving;
  /** The nodes that share `stores`; joined with the first use. */
  readonly #nodes: Late<SharedSessions> | undefined;
  #closed = false;

  constructor(server: Acceptor, serving: Serving) {
    this.#server = server;
    this.#serving = serving;
    this.table = new SessionTable(serving);
    const { stores } = serving.settings;
    if (stores === undefined) return;
    this.#nodes = new Late(async () => {
      const { joinNodes } = await import("../nodes/shared-sessions.ts");
      const joined = await joinNodes({ stores, server, serving, table: this.table });
      serving.awake = () => joined.isAwake;
      if (this.#closed) await joined.leave();
      return joined;
    });
  }

  /** Handles a POST of a stateful revision. */
  post(request: HttpRequest, incoming: ParsedBody, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const mode = this.#serving.modeFor(accepts);
    const id = request.header("mcp-session-id");
    if (id === undefined) {
      if (isHandshake(incoming)) return versionFault(request) ?? this.#open(request, incoming, mode);
      return isPing(incoming) ? (versionFault(request) ?? pong(incoming, mode)) : sessionMissing(idOf(incoming));
    }
    return andThen(this.#find(id, request), (session) => {
      if (session === undefined) return sessionNotFound(idOf(incoming));
      return versionFault(request) ?? this.#deliver(request, session, incoming, mode);
    });
  }

  #find(id: string, request: HttpRequest): MaybePromise<Session | undefined> {
    return andThen(this.#directory(), (directory) => directory.find(id, request));
  }

  #directory(): MaybePromise<SessionDirectory> {
    return this.#nodes?.get() ?? this.table;
  }

  #deliver(request: HttpRequest, session: Session, incoming: ParsedBody, mode: ResponseMode): MaybePromise<HttpResponse> {
    session.state.confirmed = true;
    if (isBatch(incoming) && !session.acceptsBatches) return noBatches();
    if (!isBatch(incoming) && isRequest(incoming)) return this.#run(request, session, incoming, mode);
    const left = andThen(this.#directory(), (directory) => directory.passOn(session, incoming));
    return andThen(left, (own) => {
      if (own !== undefined && isBatch(own)) return this.#run(request, session, own, mode);
      if (own !== undefined) session.deliver(own);
      return ACCEPTED_202;
    });
  }

  #run(request: HttpRequest, session: Session, incoming: ParsedBody, mode: ResponseMode): MaybePromise<HttpResponse> {
    if (this.#serving.running >= this.#serving.settings.limits.maxRunning) return tooMany(503, "limits.maxRunning", idOf(incoming));
    return session.post({ incoming, mode, request });
  }

  #open(request: HttpRequest, message: JSONRPCRequest, mode: ResponseMode): MaybePromise<HttpResponse> {
    const refused = handshakeFault(message, this.#server.http?.strict === true ? STRICT : LENIENT);
    if (refused !== undefined) return refused;
    return andThen(this.#directory(), (directory) =>
      andThen(directory.open(request), (session) => {
        if (!(session instanceof Session)) return session;
        return session.start(this.#server, () => {
          const response = session.post({ incoming: message, mode, request, quick: true });
          return withSessionId(session, response, () => directory.end(session));
        });
      }),
    );
  }

  /** Opens the stream for messages that belong to no request, or resumes a stream. */
  get(request: HttpRequest, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    if (!accepts.events) return notAcceptable("text/event-stream");
    return this.#serve(request, (session) => session.streams.get(request));
  }

  delete(request: HttpRequest): MaybePromise<HttpResponse> {
    return this.#serve(request, (session) => {
      const ended = andThen(this.#directory(), (directory) => directory.end(session));
      return andThen(ended, () => ({ status: 204, headers: EMPTY_HEADERS }));
    });
  }

  #serve(request: HttpRequest, serve: (session: Session) => MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
    const id = request.header("mcp-session-id");
    if (id === undefined) return sessionMissing();
    return andThen(this.#find(id, request), (session) => (session === undefined ? sessionNotFound() : serve(session)));
  }

  // ---- nodes ----

  /** Whether this process can find its sessions; always true without `stores`. */
  get ready(): boolean {
    return this.#nodes === undefined || this.#nodes.loaded !== undefined;
  }

  /** Resolves when this process has joined the nodes that share the stores. @throws StoreUnavailableError */
  joined(): MaybePromise<unknown> {
    return this.#nodes?.get();
  }

  /** Joins the nodes that share the stores, before the first request. While the stores are away it goes on in the background. @throws McpUsageError */
  async join(): Promise<void> {
    try {
      await this.#nodes?.get();
    } catch (error) {
      if (!McpError.isMcpError(error) || !isStoreUnavailable(error)) throw error;
      this.#serving.report(error);
      const again = (): void => void (this.#closed || this.join().catch((failure: unknown) => this.#serving.report(failure)));
      unref(this.#serving.clock.setTimer(REJOIN_MS, again));
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.table.close();
    await this.#nodes?.loaded?.leave();
  }
}

function isHandshake(incoming: ParsedBody): incoming is JSONRPCRequest {
  return !isBatch(incoming) && isRequest(incoming) && incoming.method === "initialize";
}

/** Some hosts ask whether a server is there before they open a session. */
function isPing(incoming: ParsedBody): incoming is JSONRPCRequest {
  return !isBatch(incoming) && isRequest(incoming) && incoming.method === "ping";
}

function pong({ id }: JSONRPCRequest, mode: ResponseMode): HttpResponse {
  const message = { jsonrpc: "2.0", id, result: {} } as const;
  return mode === "sse" ? singleEventResponse(message) : jsonResponse(200, message);
}

function idOf(incoming: ParsedBody): JSONRPCRequest["id"] | null {
  return !isBatch(incoming) && isRequest(incoming) ? incoming.id : null;
}

function sessionMissing(id: JSONRPCRequest["id"] | null = null): HttpResponse {
  return badRequest(new ProtocolViolationError(`Bad request: header ${HEADER} is missing`), id);
}

function handshakeFault(message: JSONRPCRequest, reading: Reading): HttpResponse | undefined {
  try {
    codecFor(LATEST_HANDSHAKE_VERSION).decodeParams(message.method, message.params, reading);
    return undefined;
  } catch (error) {
    const fault = McpError.isMcpError(error) ? error : new McpError(ErrorCode.InvalidParams, "Invalid request parameters");
    return badRequest(fault, message.id);
  }
}

function withSessionId(session: Session, response: MaybePromise<HttpResponse>, end: () => MaybePromise<void>): MaybePromise<HttpResponse> {
  if (isPromise(response)) return response.then((known) => withSessionId(session, known, end));
  // A failed handshake leaves no session.
  if (session.state.version === undefined && typeof response.body === "string")
    return andThen(
      attempt(end, () => undefined), // it expires within a minute
      () => response,
    );
  return { ...response, headers: [...response.headers, HEADER, session.state.id] };
}

/** Refuses a version header that does not name a stateful revision. */
export function versionFault(request: HttpRequest): HttpResponse | undefined {
  const version = request.header("mcp-protocol-version");
  if (version === undefined || isStatefulVersion(version)) return undefined;
  return badRequest(new ProtocolViolationError("Bad request: unsupported protocol version", { supported: STATEFUL_VERSIONS }));
}
