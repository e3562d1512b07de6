/** The errors of messages that do not fit their shape, and the code that a revision uses for a failure. */
import { ErrorCode, McpError, ProtocolViolationError } from "../jsonrpc/mcp-error.ts";

/** Longest explanation of what is wrong with a message, in UTF-16 code units: it may quote what the peer sent. */
const MAX_EXPLANATION = 500;

/** The error for a peer's invalid params. Its data says which member is wrong: the peer has written it. */
export function invalidParamsError(problem: string): InvalidParamsError {
  return new InvalidParamsError(ErrorCode.InvalidParams, "Invalid request parameters", explanation("params", problem));
}

/** Params that do not fit. The operator needs no stack for it: nothing is wrong with this process. */
export class InvalidParamsError extends McpError {}

export function malformedResultError(method: string, problem: string): ProtocolViolationError {
  const why = explanation("result", problem);
  return new ProtocolViolationError(`Malformed result of "${method}": ${why}`, { method }, { cause: new Error(why) });
}

function explanation(root: string, problem: string): string {
  return `${root}${problem}`.slice(0, MAX_EXPLANATION);
}

/** A result of this process that no peer could read; the message is for the operator. */
export class UnreadableResultError extends TypeError {}

/**
 * The error for a result that cannot be sent: no peer could read it, or it has no JSON form (a cycle, a bigint, a getter that
 * throws). The peer receives -32603 with the name of what returned it; the explanation is the cause, which is never sent.
 */
export function unsendableResultError(who: string, cause: unknown): McpError {
  const message =
    cause instanceof UnreadableResultError ? `${who} returned a malformed result` : `${who} returned something that has no JSON form`;
  return new McpError(ErrorCode.InternalError, message, undefined, { cause });
}

const { InternalError, InvalidParams, InvalidRequest } = ErrorCode;

/** The nearest code that every stateful revision has, for codes that are local or belong to other revisions. */
const STATEFUL: ReadonlyMap<number, number> = new Map([
  [ErrorCode.ConnectionClosed, InternalError],
  [ErrorCode.RequestTimeout, InternalError],
  [ErrorCode.HeaderMismatch, InvalidRequest],
  [ErrorCode.MissingRequiredClientCapability, InvalidRequest],
  [ErrorCode.UnsupportedProtocolVersion, InvalidParams],
]);

/** The code of a stateful revision. `visitsPages`: whether a server can refuse a call until the user has visited a page. */
export function toStatefulCode(code: number, visitsPages: boolean): number {
  if (code === ErrorCode.UrlElicitationRequired) return visitsPages ? code : InternalError;
  return STATEFUL.get(code) ?? code;
}

/** The code of a stateless revision: between -32099 and -32000 only the codes that the revision defines may be sent. */
export function toStatelessCode(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return InvalidParams;
  const reserved = code >= -32099 && code <= -32000;
  const defined = code <= ErrorCode.HeaderMismatch && code >= ErrorCode.UnsupportedProtocolVersion;
  return reserved && !defined ? InternalError : code;
}
