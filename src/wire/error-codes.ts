/** Which code a revision uses for a failure: codes that are local or belong to other revisions never leave. */
import { ErrorCode } from "../jsonrpc/mcp-error.ts";
import type { ProtocolVersion } from "../protocol/versions.ts";

const { InternalError, InvalidParams, InvalidRequest, UrlElicitationRequired } = ErrorCode;

/** The nearest code every stateful revision has. */
const STATEFUL: ReadonlyMap<number, number> = new Map([
  [ErrorCode.ConnectionClosed, InternalError],
  [ErrorCode.RequestTimeout, InternalError],
  [ErrorCode.HeaderMismatch, InvalidRequest],
  [ErrorCode.MissingRequiredClientCapability, InvalidRequest],
  [ErrorCode.UnsupportedProtocolVersion, InvalidParams],
  [UrlElicitationRequired, InternalError],
]);

export function toStatefulCode(version: ProtocolVersion, code: number): number {
  return version === "2025-11-25" && code === UrlElicitationRequired ? code : (STATEFUL.get(code) ?? code);
}

/** Nothing from -32099 to -32000 may be sent but what the revision defines there. */
export function toStatelessCode(code: number): number {
  if (code === ErrorCode.ResourceNotFound) return InvalidParams;
  const reserved = code >= -32099 && code <= -32000;
  const defined = code <= ErrorCode.HeaderMismatch && code >= ErrorCode.UnsupportedProtocolVersion;
  return reserved && !defined ? InternalError : code;
}
