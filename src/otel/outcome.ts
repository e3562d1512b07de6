/** What became of a request, on its span: the error the wire carries, a tool's failure, a timeout, a cancel. */
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
import type { InvalidToolInputError } from "../server/tool-error.ts";

/** A failure as a span tells of it. */
interface Failure {
  /** `error.type`: few values, so that they can be counted. */
  readonly type: string;
  readonly message?: string;
  /** The code of the error object on the wire. */
  readonly code?: number;
  /** What was thrown, where it is nobody's answer. */
  readonly exception?: unknown;
}

/** Failures of this side that are no answer of the peer, whatever their code. */
const LOCAL = [ConnectionClosedError, LimitExceededError, NoBackChannelError, ProtocolViolationError];
const TOOL_ERROR = "tool_error";

/** A tool may fail in a result (`isError`): the call went well, the tool did not. */
export function recordResult(span: Span, method: string, result: JsonObject): void {
  if (method === "tools/call" && result["isError"] === true) record(span, { type: TOOL_ERROR });
}

/** A request of this side failed: by what the peer answered, here, or because its caller gave up. */
export function recordCallFailure(span: Span, error: unknown, signal: AbortSignal | undefined): void {
  record(span, callFailure(error, signal));
}

function callFailure(error: unknown, signal: AbortSignal | undefined): Failure {
  if (error instanceof RequestTimeoutError) return { type: "timeout", message: error.message };
  if (signal?.aborted && error === signal.reason) return { type: "cancelled" };
  if (!McpError.isMcpError(error)) return toFailure(error);
  const { code, name, message } = error;
  return LOCAL.some((local) => error instanceof local) ? { type: name, message } : { type: String(code), message, code };
}

/**
 * A request of the peer failed.
 * @param toErrorObject what the peer is told; undefined where it is told nothing
 */
export function recordAnswerFailure(
  span: Span,
  method: string,
  error: unknown,
  toErrorObject: ((error: McpError) => { code: number }) | undefined,
): void {
  record(span, answerFailure(method, error, toErrorObject));
}

function answerFailure(method: string, error: unknown, toErrorObject: ((error: McpError) => { code: number }) | undefined): Failure {
  if (isResultForModel(error)) return { type: TOOL_ERROR, message: error.message };
  if (McpError.isMcpError(error)) {
    const code = toErrorObject?.(error).code;
    return { type: String(code ?? error.code), message: error.message, ...(code !== undefined && { code }) };
  }
  if (method !== "tools/call") return { ...toFailure(error), ...(toErrorObject && { type: INTERNAL, code: ErrorCode.InternalError }) };
  return { ...toFailure(error), type: TOOL_ERROR };
}

/** What a tool says on purpose. By name: a client that is traced does not load a server. */
function isResultForModel(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  return error.name === "ToolError" || (error.name === "InvalidToolInputError" && (error as InvalidToolInputError).reportedAs === "result");
}
const INTERNAL = String(ErrorCode.InternalError);

/** Nobody waits for the answer any more. That its client gave up is no failure of a server. */
export function recordAbort(span: Span, reason: unknown): void {
  if (reason instanceof RequestTimeoutError) record(span, { type: "timeout", message: reason.message });
  else span.addEvent("mcp.request.cancelled");
}

/** Work that is no request failed. */
export function recordThrown(span: Span, error: unknown): void {
  record(span, toFailure(error));
}

function toFailure(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : { name: "_OTHER", message: String(error) };
  return { type: name, message, exception: error instanceof Error ? error : message };
}

function record(span: Span, { type, message, code, exception }: Failure): void {
  if (exception !== undefined) span.recordException(exception as Error | string); // `thrown` makes no other
  span.setAttribute("error.type", type);
  if (code !== undefined) span.setAttribute("rpc.response.status_code", String(code));
  span.setStatus(message === undefined ? { code: SpanStatusCode.ERROR } : { code: SpanStatusCode.ERROR, message });
}
