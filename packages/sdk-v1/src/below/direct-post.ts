/**
 * The usual request of a session, on Node: one JSON-RPC request in a POST, answered with a stream of events. It goes from Node's request to
 * the original's transport and back, without web requests, web responses and web streams in between.
 *
 * The streams of the original are registered as it registers them, so that what it sends, and when it ends a stream, is its own. Everything that
 * is not this usual request, or that the original refuses, is left to it.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AuthInfo } from "mcp-sdk-v1/server/auth/types.js";
import {
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  LATEST_PROTOCOL_VERSION,
  type JSONRPCMessage,
  type MessageExtraInfo,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "mcp-sdk-v1/types.js";
import { isJsonObject } from "tenon/internal/embedding";

interface EventStream {
  readonly controller: EventWriter;
  readonly encoder: { encode(text: string): string };
  readonly cleanup: () => void;
}

/** What the layer uses of the transport below the original's Node transport. Its types call them private. */
export interface SessionParts {
  readonly sessionId?: string | undefined;
  readonly _initialized: boolean;
  readonly _closed: boolean;
  readonly _eventStore?: unknown;
  readonly _enableJsonResponse: boolean;
  readonly _maxRequestBodySize: number;
  readonly _streamMapping: Map<string, EventStream>;
  readonly _requestToStreamMapping: Map<RequestId, string>;
  onmessage?: ((message: JSONRPCMessage, extra: MessageExtraInfo) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Begins a stream that can be resumed, if the owner has an event store and the revision has such streams. */
  writePrimingEvent(controller: EventWriter, encoder: { encode(text: string): string }, id: string, version: string): Promise<void>;
  closeSSEStream(id: RequestId): void;
  closeStandaloneSSEStream(): void;
  startKeepAlive(controller: EventWriter, encoder: { encode(text: string): string }): NodeJS.Timeout | undefined;
  createJsonErrorResponse(status: number, code: number, message: string): Response;
}

/** The first revision whose streams may end before the response: the newest one of the original. */
const RESUMABLE_SINCE = LATEST_PROTOCOL_VERSION;

const TEXT = { encode: (text: string): string => text };

/** Whether a request may be such a one, by its headers, which the original would accept. */
export function mayBeDirect({ method, headers }: IncomingMessage, parts: SessionParts): boolean {
  const { sessionId } = parts;
  const version = headers["mcp-protocol-version"];
  return (
    method === "POST" &&
    sessionId !== undefined &&
    headers["mcp-session-id"] === sessionId &&
    parts._initialized &&
    !parts._closed &&
    !parts._enableJsonResponse &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) &&
    headers["content-type"] === "application/json" &&
    headers.accept?.includes("application/json") === true &&
    headers.accept.includes("text/event-stream")
  );
}

/** Whether the body is complete in one piece that the original would read, and neither the owner has read it nor the client left. */
export function hasReadableBody(request: IncomingMessage, { _maxRequestBodySize }: SessionParts): boolean {
  const { headers, readableDidRead, destroyed } = request;
  const length = Number(headers["content-length"] ?? Number.NaN);
  return length <= _maxRequestBodySize && headers["content-encoding"] === undefined && !readableDidRead && !destroyed;
}

/** Resolves when a response has ended or its client has left, which may have been before. */
export function endOf(response: ServerResponse): Promise<unknown> {
  return response.closed || response.destroyed ? Promise.resolve() : new Promise((resolve) => response.once("close", resolve));
}

const MEMBERS = new Set(["jsonrpc", "id", "method", "params"]);

/** Whether a body is a request, and surely one that the original's schema accepts. */
export function isUsualRequest(body: unknown): body is JSONRPCMessage & { id: RequestId } {
  if (!isJsonObject(body) || body["jsonrpc"] !== "2.0" || typeof body["method"] !== "string" || body["method"] === "initialize")
    return false;
  const { id, params } = body;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  if (params !== undefined && (!isJsonObject(params) || !isUsualMeta(params["_meta"]))) return false;
  return Object.keys(body).every((name) => MEMBERS.has(name));
}

/** Other members of `_meta` have schemas of their own, which are for the original to check. */
function isUsualMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isJsonObject(meta)) return false;
  return Object.entries(meta).every(
    ([name, value]) => name === "progressToken" && (typeof value === "string" || Number.isSafeInteger(value)),
  );
}

/**
 * Writes the events of one response. What comes in one turn of the loop is one write, and its headers are sent in the same turn at the latest. A
 * response that is complete by then is sent with its length, in one piece.
 */
class EventWriter {
  readonly #response: ServerResponse;
  readonly #headers: OutgoingHttpHeaders;
  #waiting = "";
  #isScheduled = true;

  constructor(response: ServerResponse, headers: OutgoingHttpHeaders) {
    this.#response = response;
    this.#headers = headers;
    setImmediate(flush, this);
  }

  /** Called by the original with what its encoder made. @throws Error if the stream has ended */
  enqueue(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) throw new Error("The stream has ended");
    this.#waiting += text;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(flush, this);
  }

  /** Sends what waits, and the headers before it. */
  flush(): void {
    this.#isScheduled = false;
    const response = this.#response;
    if (response.writableEnded || response.destroyed) return;
    if (!response.headersSent) response.writeHead(200, this.#headers).flushHeaders();
    if (this.#waiting !== "") response.write(this.#take());
  }

  close(): void {
    const rest = this.#take();
    if (!this.#response.headersSent) this.#response.writeHead(200, { ...this.#headers, "content-length": Buffer.byteLength(rest) });
    this.#response.end(rest);
  }

  #take(): string {
    const text = this.#waiting;
    this.#waiting = "";
    return text;
  }
}

const flush = (writer: EventWriter): void => writer.flush();

/** Serves the request. Resolves when its response has ended. */
export async function serveDirectly(
  message: JSONRPCMessage & { id: RequestId },
  { request, response, authInfo }: { request: IncomingMessage; response: ServerResponse; authInfo: AuthInfo | undefined },
  parts: SessionParts,
): Promise<void> {
  const ended = endOf(response);
  const id = crypto.randomUUID();
  const controller = new EventWriter(response, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    connection: "keep-alive",
    "x-accel-buffering": "no",
    "mcp-session-id": parts.sessionId!,
  });
  let keepAlive: NodeJS.Timeout | undefined;
  const cleanup = (): void => {
    clearInterval(keepAlive);
    parts._streamMapping.delete(id);
    controller.close();
  };
  parts._streamMapping.set(id, { controller, encoder: TEXT, cleanup });
  parts._requestToStreamMapping.set(message.id, id);
  const version = String(request.headers["mcp-protocol-version"] ?? DEFAULT_NEGOTIATED_PROTOCOL_VERSION);
  try {
    if (parts._eventStore !== undefined) await parts.writePrimingEvent(controller, TEXT, id, version);
  } catch (error) {
    cleanup();
    parts._requestToStreamMapping.delete(message.id);
    throw error; // of the owner's event store
  }
  const canResume = parts._eventStore !== undefined && version >= RESUMABLE_SINCE;
  parts.onmessage?.(message, {
    ...(authInfo && { authInfo }),
    requestInfo: requestInfoOf(request),
    ...(canResume && {
      closeSSEStream: () => parts.closeSSEStream(message.id),
      closeStandaloneSSEStream: () => parts.closeStandaloneSSEStream(),
    }),
  });
  if (parts._streamMapping.get(id)?.controller === controller) keepAlive = parts.startKeepAlive(controller, TEXT);
  await ended;
  clearInterval(keepAlive);
  if (parts._streamMapping.get(id)?.controller === controller) parts._streamMapping.delete(id); // it may be resumed elsewhere
}

/** What handlers get of the HTTP request. */
function requestInfoOf({ headers, url = "/", socket }: IncomingMessage): NonNullable<MessageExtraInfo["requestInfo"]> {
  const scheme = "encrypted" in socket && socket.encrypted === true ? "https" : "http";
  return {
    headers: { ...headers },
    get url() {
      return new URL(url, `${scheme}://${headers.host}`);
    },
  };
}
