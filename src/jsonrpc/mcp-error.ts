/**
 * The one error family: everything a call can fail with is an {@link McpError}.
 *
 * What came from the peer keeps its code and data; failures of this side are the small subclasses below, told apart
 * by `instanceof` or by `code`. Wrong use of the API is {@link McpUsageError}, `TypeError` or `RangeError` instead.
 */
import { isJsonObject, type ErrorData, type JSONRPCError } from "./message.ts";

export type { ErrorData } from "./message.ts";

/** Whether a value is an error object: told by its integer `code` and its `message`. */
export function isErrorData(value: unknown): value is ErrorData {
  return isJsonObject(value) && Number.isInteger(value["code"]) && typeof value["message"] === "string";
}

/**
 * Every code Tenon sends or raises (A5, ER-12). `ConnectionClosed` and `RequestTimeout` are local and never sent; what a revision
 * does not know leaves as the nearest code it has.
 */
export const ErrorCode = {
  /** What arrived is not JSON. */
  ParseError: -32700,
  /** What arrived is JSON and no message, exceeds a limit, or comes when it must not. */
  InvalidRequest: -32600,
  /** Nobody here serves that method. */
  MethodNotFound: -32601,
  /** The method is known, and its params do not fit; an unknown tool or prompt too. */
  InvalidParams: -32602,
  /** Something else went wrong, of which the peer is told no more than an id. */
  InternalError: -32603,
  /** Local: see {@link ConnectionClosedError}. */
  ConnectionClosed: -32000,
  /** Local: see {@link RequestTimeoutError}. */
  RequestTimeout: -32001,
  /** There is no such resource. Stateful revisions; -32602 on later ones (A5.5). */
  ResourceNotFound: -32002,
  /** An HTTP header is missing or says something else than the body (stateless revisions). */
  HeaderMismatch: -32020,
  /** See `MissingClientCapabilityError` (stateless revisions). */
  MissingRequiredClientCapability: -32021,
  /** See `UnsupportedVersionError` (stateless revisions). */
  UnsupportedProtocolVersion: -32022,
  /** See `UrlElicitationRequiredError` (2025-11-25 only). */
  UrlElicitationRequired: -32042,
  /** Answers a request that was cancelled, where a `RequestResponder` has to answer it (CF-02). */
  RequestCancelled: -32800,
} as const;

const BRAND = Symbol.for("tenon.McpError");

/** Builds the subclass that belongs to a code, where there is one; subclasses register here. */
type Reviver = (error: ErrorData) => McpError | undefined;
const revivers = new Map<number, Reviver>();

/** A failed call: a JSON-RPC error received from the peer, or one to be sent to it. */
export class McpError extends Error {
  // Written out here and in each subclass: the names of classes do not survive minifiers.
  override name = "McpError";
  /** Of {@link ErrorCode}, or what the peer sent. */
  readonly code: number;
  /** What the error says beside its message; absent where there is nothing more. Comes from the peer unchecked. */
  declare readonly data?: unknown;

  /**
   * Thrown by a handler, it reaches the peer with exactly this `code`, `message` and `data` (ER-05); the `cause` in `options` stays
   * here. Codes outside -32768 to -32000 are free to use.
   */
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  /** True for an `McpError` of this or of another copy of the package. */
  static isMcpError(value: unknown): value is McpError {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** The error of that code, as its own subclass where there is one. */
  static fromErrorData(error: ErrorData): McpError {
    return revivers.get(error.code)?.(error) ?? new McpError(error.code, error.message, error.data);
  }

  /** The error in a JSON-RPC error response, as its own subclass where there is one (ER-03). */
  static fromJsonRpcError(message: JSONRPCError): McpError {
    return McpError.fromErrorData(message.error);
  }

  /** The error object that says this on the wire; without `data` where there is none (ER-01). */
  toErrorData(): ErrorData {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}
Object.defineProperty(McpError.prototype, BRAND, { value: true });

/**
 * @internal The error object as the peer will read it. Through text: errors are few, and servers would load a way of
 * copying for nothing else. @throws TypeError for data that has no JSON form
 */
export function toErrorData(error: McpError): ErrorData {
  return JSON.parse(JSON.stringify(error.toErrorData())) as ErrorData; // what was written just now
}

/** @internal Lets a subclass be rebuilt by {@link McpError.fromErrorData}. */
export function registerReviver(code: number, reviver: Reviver): void {
  revivers.set(code, reviver);
}

/** The connection ended, or had ended before the call was made (DI-11). Of a request under way nobody knows whether it was served. */
export class ConnectionClosedError extends McpError {
  override name = "ConnectionClosedError";

  /** `options.cause` is why it ended, where that is known. */
  constructor(message = "Connection closed", data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.ConnectionClosed, message, data, options);
  }
}

/** The error that the calls of a closed connection fail with. A `ConnectionClosedError` keeps its details; else `reason` is the cause. */
export function toClosedError(reason: unknown): ConnectionClosedError {
  if (reason instanceof ConnectionClosedError) return reason;
  return new ConnectionClosedError("Connection closed", undefined, reason === undefined ? undefined : { cause: reason });
}

/** Whether a request that failed may have been executed: `"not-sent"` is certain, `"unknown"` is not. */
export type Outcome = "not-sent" | "unknown";

/** One exchange with the server broke; the client itself goes on. `data` is `{ outcome }`. */
export class ConnectionLostError extends ConnectionClosedError {
  override name = "ConnectionLostError";

  /** Whether the server may have acted on the request: what is `"unknown"` should not be repeated blindly. */
  readonly outcome: Outcome;

  /** `options.cause` is what the platform said. */
  constructor(message: string, outcome: Outcome, options?: ErrorOptions) {
    super(message, { outcome }, options);
    this.outcome = outcome;
  }
}

/** No answer came in time (CF-03). `data` is `{ method, timeoutMs }`; the message names the option that changes the limit. */
export class RequestTimeoutError extends McpError {
  override name = "RequestTimeoutError";

  /** The method of the request that got no answer. */
  readonly method: string;
  /** The limit that was exceeded, in milliseconds. */
  readonly timeoutMs: number;

  /** `option` is the one that set the limit, for the message: `timeout`, `maxTotalTimeout` or another. */
  constructor(method: string, timeoutMs: number, option = "timeout") {
    super(ErrorCode.RequestTimeout, `Request "${method}" timed out after ${timeoutMs} ms (option "${option}")`, { method, timeoutMs });
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}

/** The channel at hand cannot carry a request to the peer. Raised before anything is written (ER-10, SS-61). */
export class NoBackChannelError extends McpError {
  override name = "NoBackChannelError";

  /** The method of the request that could not be sent. */
  readonly method: string;

  /** For transports and dispatchers without a way back. */
  constructor(method: string) {
    super(ErrorCode.InvalidRequest, `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`);
    this.method = method;
  }
}

/** A limit was exceeded. `data` is `{ limit, max, actual? }`; `limit` is the name of the option that changes it. */
export class LimitExceededError extends McpError {
  override name = "LimitExceededError";

  /** The name of the option that sets it. */
  readonly limit: string;
  /** What it is set to, in the unit of that option. */
  readonly max: number;

  /** `actual` is what exceeded it, where it was counted. `code` default -32600. */
  constructor(limit: string, max: number, actual?: number, code: number = ErrorCode.InvalidRequest) {
    const over = actual === undefined ? "" : ` (${actual})`;
    super(code, `Limit "${limit}" of ${max} exceeded${over}`, actual === undefined ? { limit, max } : { limit, max, actual });
    this.limit = limit;
    this.max = max;
  }
}

/** The peer broke the protocol in a way that fails one call or one message, not the connection. */
export class ProtocolViolationError extends McpError {
  override name = "ProtocolViolationError";

  /** `message` must not quote what the peer sent: it may be told to it. */
  constructor(message: string, data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.InvalidRequest, message, data, options);
  }
}

/** The caller used an object in a state that does not allow it (CV-08). No `McpError`: it is a bug to be fixed, not a call that failed. */
export class McpUsageError extends Error {
  override name = "McpUsageError";
}
