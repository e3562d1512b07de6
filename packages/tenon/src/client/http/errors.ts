/**
 * Errors between an HTTP client and its server, apart from the server's JSON-RPC errors.
 *
 * A JSON-RPC error that came with an HTTP status keeps its class; {@link statusOf} returns the status. Messages name the
 * endpoint without its query and never a header, because both may hold secrets.
 */
import { ConnectionLostError, ErrorCode, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";

/**
 * The server no longer knows the session of a call that is not safe to repeat. The client opens a new session by itself. The
 * caller decides whether to call again.
 */
export class SessionLostError extends ConnectionLostError {
  override name = "SessionLostError";

  /** `options.cause` is the server's error. */
  constructor(options?: ErrorOptions) {
    const status = statusOf(options?.cause);
    super(`The server no longer knows this session${status === undefined ? "" : ` (${status})`}`, "unknown", options);
  }
}

/** The server sent an HTTP error status without a JSON-RPC error. `data` is `{ status, body? }`. */
export class HttpStatusError extends McpError {
  override name = "HttpStatusError";

  /** The HTTP status. */
  readonly status: number;

  /** @param body the beginning of the response body */
  constructor(status: number, message: string, body?: string, options?: ErrorOptions) {
    super(status >= 500 ? ErrorCode.InternalError : ErrorCode.InvalidRequest, message, body ? { status, body } : { status }, options);
    this.status = status;
  }
}

/** The server sent a success status with a body that cannot be used: another media type, no JSON-RPC, or a response to another request. */
export class UnusableResponseError extends ProtocolViolationError {
  override name = "UnusableResponseError";
}

interface Origin {
  readonly status: number;
  /** Whether it has the id of its request. Undefined if it is not a JSON-RPC error of the server. */
  readonly namesRequest: boolean | undefined;
}

const origins = new WeakMap<McpError, Origin>();

/** Remembers the HTTP status of an error, and for a JSON-RPC error of the server whether it has the id of its request. */
export function withStatus(error: McpError, status: number, namesRequest?: boolean): McpError {
  origins.set(error, { status, namesRequest });
  return error;
}

/** The HTTP status of an error. Undefined if the response had a 2xx status, or if there was none. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.status;
  return McpError.isMcpError(error) ? origins.get(error)?.status : undefined;
}

/** Whether an error with an error status was sent as the response to the request, with its id. */
export function namesItsRequest(error: McpError): boolean {
  return origins.get(error)?.namesRequest === true;
}

/** Whether an error is a JSON-RPC error that came with an error status. */
export function isReceived(error: McpError): boolean {
  return origins.get(error)?.namesRequest !== undefined;
}

const sessionless = new WeakSet<McpError>();

/** Marks a refusal at a server that refuses a new session, too. */
export function markSessionless(error: McpError): void {
  sessionless.add(error);
}

/** Whether no request can succeed: the server refused this one, and the handshake of a new session after it. */
export function isSessionless(error: unknown): boolean {
  return McpError.isMcpError(error) && sessionless.has(error);
}
