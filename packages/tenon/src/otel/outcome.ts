/** How a request failed, as its span and its metrics record it: an error, a tool's failure, a timeout, a cancellation. */
import { SpanStatusCode, type Span } from "@opentelemetry/api";
import type { JsonObject } from "../jsonrpc/message.ts";
import {
  ConnectionClosedError,
  ErrorCode,
  LimitExceededError,
  McpError,
  NoBackChannelError,
  ProtocolViolationError,
  RequestTimeoutError,
} from "../jsonrpc/mcp-error.ts";
import type { InvalidToolInputError } from "../server/features/tool-error.ts";

export interface Failure {
  /** `error.type`: few values, so that backends can group by them. */
  readonly type: string;
  readonly message?: string;
  /** The code of the error object on the wire. */
  readonly code?: number;
  /** The thrown value, if it is not an error of the peer. */
  readonly exception?: unknown;
  readonly error?: unknown;
}

/** Errors of this side. They are not responses of the peer, whatever their code. */
const LOCAL = [ConnectionClosedError, LimitExceededError, NoBackChannelError, ProtocolViolationError];
const TOOL_ERROR = "tool_error";

/** Encodes an error for the peer; undefined if the peer gets no error. */
export type ToErrorObject = ((error: McpError) => { code: number }) | undefined;

/** The failure that a result is. A tool can fail with a result (`isError`). */
export function resultFailure(method: string, result: JsonObject): Failure | undefined {
  return method === "tools/call" && result["isError"] === true ? { type: TOOL_ERROR } : undefined;
}

/** The failure of an outbound request: an error of the peer, a local error, a timeout or a cancellation. */
export function callFailure(error: unknown, signal: AbortSignal | undefined): Failure {
  if (error instanceof RequestTimeoutError) return { type: "timeout", message: error.message };
  if (signal?.aborted && error === signal.reason) return { type: "cancelled" };
  if (!McpError.isMcpError(error)) return toFailure(error);
  const { code, name, message } = error;
  return LOCAL.some((local) => error instanceof local) ? { type: name, message } : { type: String(code), message, code };
}

/** The failure of an inbound request. @param toErrorObject encodes the error for the peer; undefined if the peer gets no error */
export function answerFailure(method: string, error: unknown, toErrorObject: ToErrorObject): Failure {
  return { ...describe(method, error, toErrorObject), error };
}

function describe(method: string, error: unknown, toErrorObject: ToErrorObject): Failure {
  if (isResultForModel(error)) return { type: TOOL_ERROR, message: error.message };
  if (McpError.isMcpError(error)) {
    const code = toErrorObject?.(error).code;
    return { type: String(code ?? error.code), message: error.message, ...(code !== undefined && { code }) };
  }
  if (method !== "tools/call") return { ...toFailure(error), ...(toErrorObject && { type: INTERNAL, code: ErrorCode.InternalError }) };
  return { ...toFailure(error), type: TOOL_ERROR };
}

/** Whether an error becomes a result for the model. Checked by name, so that a traced client does not load the server. */
function isResultForModel(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.name === "ToolError" || (error.name === "InvalidToolInputError" && (error as InvalidToolInputError).reportedAs === "result");
}
const INTERNAL = String(ErrorCode.InternalError);

/** The failure of an aborted request; undefined if the client cancelled it, which is not a failure of the server. */
export function abortFailure(reason: unknown): Failure | undefined {
  return reason instanceof RequestTimeoutError ? { type: "timeout", message: reason.message } : undefined;
}

/** Records the failure of work that is not a request. */
export function recordThrown(span: Span, error: unknown): void {
  record(span, toFailure(error));
}

function toFailure(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : { name: "_OTHER", message: String(error) };
  return { type: name, message, exception: error instanceof Error ? error : message };
}

export function record(span: Span, { type, message, code, exception }: Failure): void {
  if (exception !== undefined) span.recordException(exception as Error | string); // `thrown` makes no other
  span.setAttribute("error.type", type);
  if (code !== undefined) span.setAttribute("rpc.response.status_code", String(code));
  span.setStatus(message === undefined ? { code: SpanStatusCode.ERROR } : { code: SpanStatusCode.ERROR, message });
}
