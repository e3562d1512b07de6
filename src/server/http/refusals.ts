/** Refusals that more than one place sends: too many of something, and not serving at all. */
import { ErrorCode, type McpError } from "../../jsonrpc/mcp-error.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { refusal, type HttpResponse } from "./http-message.ts";

const RETRY_AFTER_S = "5";

/** A limit that others have used up. 429 where it is the client's own share. */
export function tooMany(status: 429 | 503, limit: string, id: RequestId | null = null): HttpResponse {
  return refusal(status, { code: ErrorCode.InternalError, message: `Busy (limit "${limit}")`, data: { limit } }, id, [
    "Retry-After",
    RETRY_AFTER_S,
  ]);
}

/** Nothing is served now. */
export function unavailable(message: string, id: RequestId | null = null): HttpResponse {
  return refusal(503, { code: ErrorCode.InternalError, message }, id, ["Retry-After", RETRY_AFTER_S]);
}

/** The endpoint drains: the connection is not to be used again, so that the next request finds another node (D14). */
export function shuttingDown(): HttpResponse {
  const error = { code: ErrorCode.InternalError, message: "The server is shutting down" };
  return refusal(503, error, null, ["Retry-After", RETRY_AFTER_S, "Connection", "close"]);
}

/** 400, for what the client has to correct. */
export function badRequest(error: McpError, id: RequestId | null = null): HttpResponse {
  return refusal(400, error.toErrorData(), id);
}

/** The method does not exist here. */
export function notAllowed(allow: string): HttpResponse {
  return refusal(405, { code: ErrorCode.InvalidRequest, message: "Method not allowed" }, null, ["Allow", allow]);
}

/** What the client takes is not what there is. */
export function notAcceptable(types: string, id: RequestId | null = null): HttpResponse {
  return refusal(406, { code: ErrorCode.InvalidRequest, message: `Not acceptable: the client must accept ${types}` }, id);
}
