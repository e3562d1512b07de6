/**
 * What a failure becomes for the client, and what stays with the operator.
 *
 * The client sees an `McpError` as it was thrown, a tool's own words, or a generic text with an id; the operator is
 * told everything, with the same id (R11).
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import { ErrorCode, isErrorData, McpError } from "../jsonrpc/mcp-error.ts";
import type { RequestContext } from "../session/request-context.ts";
import { failedResult, resultForModel } from "./tool-error.ts";

/** What the operator is told of a failure. */
export interface FailureReport {
  /**
   * The method that failed. For what concerns no single call, `"requestState"` (a key that has to be changed) or `"schemas"` (a
   * tool or prompt that was registered while the server serves cannot be used, and is disabled).
   */
  method: string;
  /** The tool that failed, for `tools/call`. */
  tool?: string;
  /** The id the client was given; absent where it was told the error itself. */
  errorId?: string;
}

/** Told of every failure that the client does not see in full. What it throws is ignored. */
export type OnError = (error: unknown, report: FailureReport) => void;

/** The same, of a listener that may throw or reject after all: that changes nothing for the client (D12). */
export function contain(onError: OnError): OnError {
  const tell = async (...failure: Parameters<OnError>): Promise<void> => onError(...failure);
  return (...failure) => void tell(...failure).catch(() => undefined);
}

/**
 * An error for the wire. Anything but an `McpError` is replaced by "Internal error" with an id (-32603), and so is one
 * without an integer code, which no client could read.
 */
export function toMcpError(error: unknown, method: string, onError: OnError): McpError {
  if (McpError.isMcpError(error) && isErrorData(error)) {
    if (error.cause !== undefined) onError(error, { method });
    return error;
  }
  return new McpError(ErrorCode.InternalError, "Internal error", { errorId: reportFailure(error, { method }, onError) });
}

/**
 * The result a failed tool call is answered with: its own words for the model, else a generic text with an id.
 * Undefined where the failure is one of the protocol.
 */
export function toToolFailure(error: unknown, { method, params }: RequestContext, onError: OnError): JsonObject | undefined {
  const own = resultForModel(error);
  if (own !== undefined || McpError.isMcpError(error)) return own;
  const tool = String(params["name"]);
  return failedResult(`Tool "${tool}" failed (error ${reportFailure(error, { method, tool }, onError)})`);
}

/** Tells the operator of what the client must not see. Returns the id that both get. */
function reportFailure(error: unknown, report: FailureReport, onError: OnError): string {
  const errorId = crypto.randomUUID().slice(0, 8);
  onError(error, { ...report, errorId });
  return errorId;
}

/** Writes to the console: on stdio that is stderr. */
export const logToConsole: OnError = (error: unknown, { method, tool, errorId }: FailureReport): void => {
  const where = tool === undefined ? method : `${method} ${tool}`;
  // oxlint-disable-next-line no-console -- the default of an option; whoever logs elsewhere gives `onError`
  console.error(`tenon: ${where} failed${errorId === undefined ? "" : ` (error ${errorId})`}:`, error);
};
