/** What an endpoint refuses a request with: status, words, and the headers that say what to do about it. */
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
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

/** Tells a client that its session is gone, or never was: it opens another one (E4.4). */
export function sessionNotFound(id: RequestId | null = null): HttpResponse {
  return refusal(404, { code: ErrorCode.InvalidRequest, message: "Session not found" }, id);
}

/** An array of messages, on a revision that has none. */
export function noBatches(): HttpResponse {
  return badRequest(new ProtocolViolationError("Batches are not part of this protocol revision"));
}

/** What the guard lets nobody do. */
export function forbidden(status: 403 | 421): HttpResponse {
  const [header, option] = status === 421 ? ["Host", "allowedHosts"] : ["Origin", "allowedOrigins"];
  return refusal(status, { code: ErrorCode.InvalidRequest, message: `Forbidden: this ${header} is not allowed here (option "${option}")` });
}

export function unsupportedMediaType(why: string): HttpResponse {
  return refusal(415, { code: ErrorCode.InvalidRequest, message: `Unsupported media type: ${why}` });
}

/** A body that arrives too slowly to wait for. */
export class SlowBodyError extends McpError {
  override name = "SlowBodyError";

  /** @param bytesPerSecond the rate that the endpoint requires */
  constructor(bytesPerSecond: number) {
    const data = { limit: "limits.minBodyRate", min: bytesPerSecond };
    super(
      ErrorCode.InvalidRequest,
      `The body came too slowly: less than ${bytesPerSecond} bytes a second (limit "limits.minBodyRate")`,
      data,
    );
  }
}

export function tooSlow(error: SlowBodyError): HttpResponse {
  return refusal(408, error.toErrorData(), null, ["Connection", "close"]);
}

export function tooLarge(max: number): HttpResponse {
  return refusal(413, new LimitExceededError("limits.maxBodyBytes", max).toErrorData(), null, ["Connection", "close"]);
}
