/**
 * What can go wrong between an HTTP client and its server, apart from what the server says in JSON-RPC.
 *
 * A JSON-RPC error that came with an HTTP status stays the error it is; {@link statusOf} tells the status of either.
 * Messages name the endpoint without its query and never a header: both may hold secrets (R21).
 */
import { ConnectionLostError, ErrorCode, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";

/**
 * The server no longer knows the session of a call that is not safe to repeat. The client opens a new session by
 * itself; whether the call is made again is the caller's decision.
 */
export class SessionLostError extends ConnectionLostError {
  override name = "SessionLostError";

  /** `options.cause` is the answer that said so. */
  constructor(options?: ErrorOptions) {
    super("The server no longer knows this session (404)", "unknown", options);
  }
}

/** The server answered with an HTTP status and without a JSON-RPC error. `data` is `{ status, body? }`. */
export class HttpStatusError extends McpError {
  override name = "HttpStatusError";

  /** The HTTP status. */
  readonly status: number;

  /** @param body the beginning of the response body, for people */
  constructor(status: number, message: string, body?: string) {
    super(status >= 500 ? ErrorCode.InternalError : ErrorCode.InvalidRequest, message, body ? { status, body } : { status });
    this.status = status;
  }
}

/** The server said yes and then nothing of use: another media type, no JSON-RPC, somebody else's answer (C6). */
export class UnusableResponseError extends ProtocolViolationError {
  override name = "UnusableResponseError";
}

const statuses = new WeakMap<McpError, number>();

/** Notes the HTTP status an error came with. */
export function withStatus(error: McpError, status: number): McpError {
  statuses.set(error, status);
  return error;
}

/** The HTTP status an error came with; undefined for errors of calls that were answered with 2xx, or not at all. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.status;
  return McpError.isMcpError(error) ? statuses.get(error) : undefined;
}
