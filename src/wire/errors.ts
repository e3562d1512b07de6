/** The errors of messages that do not fit, and the code a revision uses for a failure. */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";

/** Longest explanation of what is wrong with a message, in UTF-16 code units: it may quote what the peer sent. */
const MAX_EXPLANATION = 500;

/** Params of a peer that do not fit. What is wrong stays on this side, as the cause. */
export function invalidParamsError(problem: string): McpError {
  return new McpError(ErrorCode.InvalidParams, "Invalid request parameters", "", { cause: explanation("params", problem) });
}

/** A result of a peer that does not fit. */
export function malformedResultError(method: string, problem: string): ProtocolViolationError {
  const cause = explanation("result", problem);
  return new ProtocolViolationError(`Malformed result of "${method}": ${cause.message}`, { method }, { cause });
}

function explanation(root: string, problem: string): Error {
  return new Error(`${root}${problem}`.slice(0, MAX_EXPLANATION));
}

/** A result of this side that no peer could read; the message is for the operator. */
export class UnreadableResultError extends TypeError {}

/**
 * A result of this side that cannot be sent: no peer could read it, or it has no JSON form (a cycle, a bigint, a getter that throws).
 * -32603 for the peer, with the name of what returned it; what was wrong stays on this side, as the cause.
 */
export function unsendableResultError(who: string, cause: unknown): McpError {
  const message =
    cause instanceof UnreadableResultError ? `${who} returned a malformed result` : `${who} returned something that has no JSON form`;
  return new McpError(ErrorCode.InternalError, message, undefined, { cause });
}

const { InternalError, InvalidParams, InvalidRequest } = ErrorCode;

/** The nearest code every stateful revision has, for codes that are local or belong to other revisions. */
const STATEFUL: ReadonlyMap<number, number> = new Map([
  [ErrorCode.ConnectionClosed, InternalError],
  [ErrorCode.RequestTimeout, InternalError],
  [ErrorCode.HeaderMismatch, InvalidRequest],
  [ErrorCode.MissingRequiredClientCapability, InvalidRequest],
  [ErrorCode.UnsupportedProtocolVersion, InvalidParams],
]);

/** The code of a stateful revision. `visitsPages`: whether a call can be refused until the user has visited a page. */
export function toStatefulCode(code: number, visitsPages: boolean): number {
  if (code === ErrorCode.UrlElicitationRequired) return visitsPages ? code : InternalError;
  return STATEFUL.get(code) ?? code;
}

/** The code of a stateless revision: nothing from -32099 to -32000 may be sent but what the revision defines there. */
export function toStatelessCode(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return InvalidParams;
  const reserved = code >= -32099 && code <= -32000;
  const defined = code <= ErrorCode.HeaderMismatch && code >= ErrorCode.UnsupportedProtocolVersion;
  return reserved && !defined ? InternalError : code;
}
