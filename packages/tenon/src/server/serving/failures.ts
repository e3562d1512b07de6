/**
 * Decides what the client sees of a failure, and reports the rest to the operator.
 *
 * The client sees an `McpError` as it was thrown, a `ToolError`, or a generic text with an id. `onError` gets the original error with the
 * same id. Other error texts never reach the client, because they may hold secrets.
 */
import { isAbortFailure } from "../../base/abort.ts";
import { withUsersStack } from "../../base/text/users-stack.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ErrorCode, isErrorData, McpError } from "../../jsonrpc/mcp-error.ts";
import { QuestionFailedError } from "../../session/question-failed-error.ts";
import type { RequestContext } from "../../session/request-context.ts";
import { InvalidParamsError } from "../../wire/errors.ts";
import { failedResult, resultForModel } from "../features/tool-error.ts";

/** What `onError` gets besides the error. */
export interface FailureReport {
  /**
   * The method that failed. Outside a call: `"requestState"` if a sealing key must be changed, `"schemas"` if a tool or prompt that was
   * registered while the server serves cannot be used and is disabled, `"discovery"` if a pinned name has no tool, `"deviation"` if
   * `onDeviation` threw.
   */
  method: string;
  /** The tool that failed, for `tools/call`. */
  tool?: string;
  /**
   * True if the handler ended because `ctx.signal` was aborted: it threw the signal's reason, an `AbortError`, or an error with such a
   * cause. The client cancelled or is gone, or the time was over, so this is no failure of the handler. Absent otherwise: another error
   * after the abort is a bug.
   */
  cancelled?: boolean;
  /** The id that the client got; absent if the client got the error itself. */
  errorId?: string;
}

/** Receives every failure that the client does not see in full. Errors that it throws are ignored. */
export type OnError = (error: unknown, report: FailureReport) => void;

/** Wraps a listener so that an error it throws, or a promise it rejects, changes nothing for the client. */
export function contain(onError: OnError): OnError {
  const tell = async (...failure: Parameters<OnError>): Promise<void> => onError(...failure);
  return (...failure) => void tell(...failure).catch(() => undefined);
}

/**
 * Converts a failure to an error for the wire. Anything but an `McpError` becomes "Internal error" with an id (-32603); so does an
 * `McpError` without an integer code, because no client can read it.
 */
export function toMcpError(error: unknown, report: FailureReport, onError: OnError): McpError {
  if (error instanceof QuestionFailedError) return error.toCallError();
  if (McpError.isMcpError(error) && isErrorData(error)) {
    if (error.cause !== undefined || error instanceof InvalidParamsError) onError(error, report);
    return error;
  }
  return new McpError(ErrorCode.InternalError, "Internal error", { errorId: reportFailure(error, report, onError) });
}

/**
 * The result of a failed tool call: the text of a `ToolError`, else a generic text with an id. Undefined if the failure is a protocol
 * error.
 */
export function toToolFailure(error: unknown, { method, params, signal }: RequestContext, onError: OnError): JsonObject | undefined {
  const own = resultForModel(error);
  if (own !== undefined || McpError.isMcpError(error)) return own;
  const tool = String(params["name"]);
  return failedResult(
    `Tool "${tool}" failed (error ${reportFailure(error, { method, tool, ...(isAbortFailure(error, signal) && { cancelled: true }) }, onError)})`,
  );
}

/** Reports to the operator what the client must not see. Returns the id that both get. */
function reportFailure(error: unknown, report: FailureReport, onError: OnError): string {
  const errorId = crypto.randomUUID().slice(0, 8);
  onError(error, { ...report, errorId });
  return errorId;
}

/** Writes a failure to the console's error output, which is stderr. */
export const logToConsole: OnError = (error: unknown, { method, tool, errorId, cancelled }: FailureReport): void => {
  const where = tool === undefined ? method : `${method} ${tool}`;
  // oxlint-disable-next-line no-console -- as below
  if (cancelled) return console.error(`tenon: ${where} was cancelled: ${error instanceof Error ? error.message : String(error)}`);
  // oxlint-disable-next-line no-console -- the default of the option `onError`
  console.error(`tenon: ${where} failed${errorId === undefined ? "" : ` (error ${errorId})`}:`, shownFailure(error));
};

/**
 * An error without a stack is a text with its reason: Node would show it, and the reason, as objects. So is a client's mistake, which is not
 * in the code of this process. Any other stack has the frames of the author.
 */
export function shownFailure(error: unknown): unknown {
  if (error instanceof InvalidParamsError) return `${error.message}: ${String(error.data)}`;
  if (!(error instanceof Error)) return error;
  if (error.stack !== String(error)) return withUsersStack(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
