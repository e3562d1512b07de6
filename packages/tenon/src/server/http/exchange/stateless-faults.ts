/** Finds errors of a stateless request that come before the errors of its method, and the HTTP status of an error response. */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import { isJsonObject, type ErrorData, type JSONRPCRequest } from "../../../jsonrpc/message.ts";
import { STATELESS_VERSIONS } from "../../../protocol/versions.ts";
import type { Reading } from "../../../wire/deviations.ts";
import { codecFor, codecForRequest } from "../../../wire/revisions.ts";
import { versionMismatch } from "../endpoint/mirrored-headers.ts";
import type { HttpRequest } from "../http-message.ts";

/** The error that takes precedence over a mismatch of method and name: in the shape of `_meta`, the version header, or the version. */
export function firstFault(request: HttpRequest, message: JSONRPCRequest, reading: Reading): McpError | undefined {
  const fault = identityFault(message, reading);
  return fault === undefined || fault.code === ErrorCode.InvalidParams ? fault : (versionMismatch(request, message.params) ?? fault);
}

/** The error in the `_meta` of a request, the same as the handler's check gives. */
function identityFault({ params }: JSONRPCRequest, reading: Reading): McpError | undefined {
  try {
    (codecForRequest(params) ?? codecFor(STATELESS_VERSIONS[0])).decodeIdentity(params, reading);
    return undefined;
  } catch (error) {
    if (McpError.isMcpError(error)) return error;
    throw error;
  }
}

/** The milliseconds after which a client may retry what a limit of its own refused; undefined for another error. */
export function retryAfterOf({ data }: ErrorData): number | undefined {
  if (!isJsonObject(data) || data["reason"] !== "rateLimited") return undefined;
  const { retryAfterMs } = data;
  return typeof retryAfterMs === "number" ? retryAfterMs : undefined;
}

/** The HTTP status of an error response. @param reading how the server reads the request */
export function statusOf(error: ErrorData, message: JSONRPCRequest, reading: Reading): number {
  const { code, data } = error;
  if (retryAfterOf(error) !== undefined) return 429;
  if (code === ErrorCode.MethodNotFound && data === message.method) return 404; // an error of a handler names no method
  if (code <= ErrorCode.HeaderMismatch && code >= ErrorCode.UnsupportedProtocolVersion) return 400;
  return code === ErrorCode.InvalidParams && identityFault(message, reading) !== undefined ? 400 : 200;
}
