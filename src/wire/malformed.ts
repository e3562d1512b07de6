/** Messages that are not what they have to be. What is wrong with params stays on this side, as the cause. */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";

/** Longest explanation of what is wrong with a message, in UTF-16 code units: it may quote what the peer sent. */
const MAX_EXPLANATION = 500;

export function invalidParams(problem: string): McpError {
  return new McpError(ErrorCode.InvalidParams, "Invalid request parameters", "", { cause: explanation("params", problem) });
}

export function malformedResult(method: string, problem: string): ProtocolViolationError {
  const cause = explanation("result", problem);
  return new ProtocolViolationError(`Malformed result of "${method}": ${cause.message}`, { method }, { cause });
}

function explanation(root: string, problem: string): Error {
  return new Error(`${root}${problem}`.slice(0, MAX_EXPLANATION));
}
