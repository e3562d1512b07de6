/**
 * Handles requests that open a session, belong to one, or end it (MCP 2025-11-25, Transports, Session Management).
 *
 * A session is opened only after a body was read that is a valid handshake, so that other requests use no memory.
 */
import { isPromise, type MaybePromise } from "../../../base/maybe-promise.ts";
import { isBatch, isRequest, type JSONRPCRequest } from "../../../jsonrpc/message.ts";
import { ErrorCode, McpError, ProtocolViolationError } from "../../../jsonrpc/mcp-error.ts";
import type { Incoming, MalformedMessage } from "../../../jsonrpc/incoming.ts";
import { isStatefulVersion, LATEST_HANDSHAKE_VERSION, STATEFUL_VERSIONS } from "../../../protocol/versions.ts";
import { codecFor } from "../../../wire/revisions.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { ACCEPTED_202, type AcceptHeader, EMPTY_HEADERS, type HttpRequest, type HttpResponse } from "../http-message.ts";
import type { ResponseMode } from "../options.ts";
import { badRequest, noBatches, notAcceptable, sessionNotFound, tooMany } from "../refusals.ts";
import type { Serving } from "../serving.ts";
import { Session } from "./session.ts";
import { SessionTable } from "./session-table.ts";

const HEADER = "Mcp-Session-Id";

/** A body that was parsed: one message or an array of messages. */
export type ParsedBody = Exclude<Incoming, MalformedMessage>;

export class Sessions {
  readonly table: SessionTable;
  readonly #server: Acceptor;
  readonly #serving: Serving;

  constructor(server: Acceptor, serving: Serving) {
    this.#server = server;
    this.#serving = serving;
    this.table = new SessionTable(serving);
  }

  /** Handles a POST of a stateful revision. */
  post(request: HttpRequest, incoming: ParsedBody, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    const mode = this.#modeFor(accepts);
    if (mode === undefined) return notAcceptable("application/json and text/event-stream", idOf(incoming));
    const id = request.header("mcp-session-id");
    if (id === undefined) {
      if (isHandshake(incoming)) return versionFault(request) ?? this.#open(request, incoming, mode);
      return sessionMissing(idOf(incoming));
    }
    const session = this.table.find(id, request.principal);
    if (session === undefined) return sessionNotFound(idOf(incoming));
    return versionFault(request) ?? this.#deliver(request, session, incoming, mode);
  }

  /** The form of the response. A client of a stateful revision must accept every form that the endpoint may send. */
  #modeFor({ json, events }: AcceptHeader): ResponseMode | undefined {
    const mode = this.#serving.settings.responseMode;
    if (mode === "json") return json ? mode : undefined;
    return json && events ? mode : undefined;
  }

  #deliver(request: HttpRequest, session: Session, incoming: ParsedBody, mode: ResponseMode): MaybePromise<HttpResponse> {
    session.state.confirmed = true;
    if (isBatch(incoming)) {
      if (!session.acceptsBatches) return noBatches();
    } else if (!isRequest(incoming)) {
      session.deliver(incoming);
      return ACCEPTED_202;
    }
    if (this.#serving.running >= this.#serving.settings.limits.maxRunning) return tooMany(503, "limits.maxRunning", idOf(incoming));
    return session.post({ incoming, mode, request });
  }

  #open(request: HttpRequest, message: JSONRPCRequest, mode: ResponseMode): MaybePromise<HttpResponse> {
    const refused = handshakeFault(message) ?? this.table.refuse(request);
    if (refused !== undefined) return refused;
    const session = this.table.open(request);
    return session.start(this.#server, () => withSessionId(session, session.post({ incoming: message, mode, request, quick: true })));
  }

  /** Opens the stream for messages that belong to no request, or resumes a stream. */
  get(request: HttpRequest, accepts: AcceptHeader): MaybePromise<HttpResponse> {
    if (!accepts.events) return notAcceptable("text/event-stream");
    const session = this.#sessionOf(request);
    return session instanceof Session ? session.get(request) : session;
  }

  /** Ends a session. */
  delete(request: HttpRequest): HttpResponse {
    const session = this.#sessionOf(request);
    if (!(session instanceof Session)) return session;
    void session.close();
    return { status: 204, headers: EMPTY_HEADERS };
  }

  #sessionOf(request: HttpRequest): Session | HttpResponse {
    const id = request.header("mcp-session-id");
    if (id === undefined) return sessionMissing();
    return this.table.find(id, request.principal) ?? sessionNotFound();
  }
}

function isHandshake(incoming: ParsedBody): incoming is JSONRPCRequest {
  return !isBatch(incoming) && isRequest(incoming) && incoming.method === "initialize";
}

function idOf(incoming: ParsedBody): JSONRPCRequest["id"] | null {
  return !isBatch(incoming) && isRequest(incoming) ? incoming.id : null;
}

function sessionMissing(id: JSONRPCRequest["id"] | null = null): HttpResponse {
  return badRequest(new ProtocolViolationError(`Bad request: header ${HEADER} is missing`), id);
}

function handshakeFault(message: JSONRPCRequest): HttpResponse | undefined {
  try {
    codecFor(LATEST_HANDSHAKE_VERSION).decodeParams(message.method, message.params);
    return undefined;
  } catch (error) {
    const fault = McpError.isMcpError(error) ? error : new McpError(ErrorCode.InvalidParams, "Invalid request parameters");
    return badRequest(fault, message.id);
  }
}

function withSessionId(session: Session, response: MaybePromise<HttpResponse>): MaybePromise<HttpResponse> {
  if (isPromise(response)) return response.then((known) => withSessionId(session, known));
  // A failed handshake leaves no session.
  if (session.state.version === undefined && typeof response.body === "string") {
    void session.close();
    return response;
  }
  return { ...response, headers: [...response.headers, HEADER, session.state.id] };
}

/** Refuses a version header that does not name a stateful revision. */
export function versionFault(request: HttpRequest): HttpResponse | undefined {
  const version = request.header("mcp-protocol-version");
  if (version === undefined || isStatefulVersion(version)) return undefined;
  return badRequest(new ProtocolViolationError("Bad request: unsupported protocol version", { supported: STATEFUL_VERSIONS }));
}
