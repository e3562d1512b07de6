/** The refusals of an endpoint: status, message, and the headers that say what the client can do. */
import { ClosedServerError } from "../../dispatch/closed-server.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type RequestId } from "../../jsonrpc/message.ts";
import { refusal, type HttpResponse } from "./http-message.ts";

const RETRY_AFTER_S = "5";

/** A limit is reached: 429 for the client's own share, 503 for a limit of all clients. */
export function tooMany(status: 429 | 503, limit: string, id: RequestId | null = null): HttpResponse {
  return refusal(status, { code: ErrorCode.InternalError, message: `Busy (limit "${limit}")`, data: { limit } }, id, [
    "Retry-After",
    RETRY_AFTER_S,
  ]);
}

/** 503: the server does not serve now. */
export function unavailable(message: string, id: RequestId | null = null): HttpResponse {
  return refusal(503, { code: ErrorCode.InternalError, message }, id, ["Retry-After", RETRY_AFTER_S]);
}

/** 503: the server has refused to serve, with `error`. A server that was closed stays so: a client has no reason to try again. */
export function refusedBy(error: unknown, id: RequestId | null = null): HttpResponse {
  if (!(error instanceof ClosedServerError)) return unavailable("The server is not available", id);
  return refusal(503, { code: ErrorCode.InternalError, message: "The server was closed" }, id);
}

/** Why a node cannot know what a store has: it cannot be asked, or a later version has written it. */
const UNAVAILABLE: ReadonlySet<unknown> = new Set(["storeUnavailable", "newerFormat"]);

/** Whether an error says that a node cannot know what a store has. Errors of remote peers and of stores of the user look the same. */
export function isStoreUnavailable({ data }: { readonly data?: unknown }): boolean {
  return isJsonObject(data) && UNAVAILABLE.has(data["reason"]);
}

/** Whether a request failed because of the store that nodes share, so that its client must keep its session. */
export function isStoreFailure(error: { readonly data?: unknown }): boolean {
  return isStoreUnavailable(error) || (isJsonObject(error.data) && error.data["reason"] === "storeDamaged");
}

/** 503: the store that nodes share cannot be asked. It is never a 404, because the client would drop its session. */
export function storeUnavailable(error: McpError, id: RequestId | null = null): HttpResponse {
  return refusal(503, error.toErrorData(), id, ["Retry-After", "1"]);
}

/** 503: the process stood still, so that the sender of this request may have given up. The request has not run. */
export function stoodStill(): HttpResponse {
  const message = "This process stood still, and serves again in a moment";
  const data = { reason: "stoodStill", delivery: "not-sent" };
  return refusal(503, { code: ErrorCode.InternalError, message, data }, null, ["Retry-After", "1"]);
}

/** 503: the endpoint drains. `Connection: close` makes the client's next request reach another process. */
export function shuttingDown(): HttpResponse {
  const error = { code: ErrorCode.InternalError, message: "The server is shutting down" };
  return refusal(503, error, null, ["Retry-After", RETRY_AFTER_S, "Connection", "close"]);
}

/** 500: the endpoint or what it calls has failed. What, is reported to the operator only. */
export function internalError(): HttpResponse {
  return refusal(500, { code: ErrorCode.InternalError, message: "Internal error" });
}

/** 400: the client must correct its request. */
export function badRequest(error: McpError, id: RequestId | null = null): HttpResponse {
  return refusal(400, error.toErrorData(), id);
}

/** 405: the endpoint does not serve this HTTP method. */
export function notAllowed(allow: string): HttpResponse {
  return refusal(405, { code: ErrorCode.InvalidRequest, message: "Method not allowed" }, null, ["Allow", allow]);
}

/** 406: the client does not accept the content type of the response. */
export function notAcceptable(types: string, id: RequestId | null = null): HttpResponse {
  return refusal(406, { code: ErrorCode.InvalidRequest, message: `Not acceptable: the client must accept ${types}` }, id);
}

/** 404: the session does not exist. The client opens a new one. */
export function sessionNotFound(id: RequestId | null = null): HttpResponse {
  return refusal(404, { code: ErrorCode.InvalidRequest, message: "Session not found" }, id);
}

/** 400: an array of messages, on a revision without batches. */
export function noBatches(): HttpResponse {
  return badRequest(new ProtocolViolationError("Batches are not part of this protocol revision"));
}

/** The refusal of the guard. */
export function forbidden(status: 403 | 421): HttpResponse {
  const [header, option] = status === 421 ? ["Host", "allowedHosts"] : ["Origin", "allowedOrigins"];
  return refusal(status, { code: ErrorCode.InvalidRequest, message: `Forbidden: this ${header} is not allowed here (option "${option}")` });
}

export function unsupportedMediaType(why: string): HttpResponse {
  return refusal(415, { code: ErrorCode.InvalidRequest, message: `Unsupported media type: ${why}` });
}

/** The request body arrives more slowly than `minBodyRate`. */
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
