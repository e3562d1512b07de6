/**
 * The one error family: everything a call can fail with is an {@link McpError}.
 *
 * An error from the peer keeps its code and data; local failures are the small subclasses below, told apart by `instanceof` or by
 * `code`. Wrong use of the API throws {@link McpUsageError}, `TypeError` or `RangeError` instead.
 */
import { parseExact, stringifyExact } from "./exact-numbers.ts";
import { isJsonObject, type ErrorData, type JSONRPCError } from "./message.ts";

export type { ErrorData } from "./message.ts";

/** Whether a value is an error object: it has an integer `code` and a string `message`. */
export function isErrorData(value: unknown): value is ErrorData {
  return isJsonObject(value) && Number.isInteger(value["code"]) && typeof value["message"] === "string";
}

/**
 * Every code that Tenon sends or raises. `ConnectionClosed` and `RequestTimeout` are local and never sent. If a revision does not
 * define a code, the nearest one that it defines is sent.
 */
export const ErrorCode = {
  /** What arrived is not JSON. */
  ParseError: -32700,
  /** What arrived is JSON but not a message, exceeds a limit, or comes at the wrong time. */
  InvalidRequest: -32600,
  /** The receiver does not serve that method. */
  MethodNotFound: -32601,
  /** The method is known, but its params are invalid; also an unknown tool or prompt. */
  InvalidParams: -32602,
  /** Another failure. The peer learns only an id of it. */
  InternalError: -32603,
  /** Local: see {@link ConnectionClosedError}. */
  ConnectionClosed: -32000,
  /** Local: see {@link RequestTimeoutError}. */
  RequestTimeout: -32001,
  /** There is no such resource. Stateful revisions; stateless ones use -32602. */
  ResourceNotFound: -32002,
  /** An HTTP header is missing or contradicts the body (stateless revisions). */
  HeaderMismatch: -32020,
  /** See `MissingClientCapabilityError` (stateless revisions). */
  MissingRequiredClientCapability: -32021,
  /** See `UnsupportedVersionError` (stateless revisions). */
  UnsupportedProtocolVersion: -32022,
  /** See `UrlElicitationRequiredError` (2025-11-25 only). */
  UrlElicitationRequired: -32042,
  /** The response of a `RequestResponder` to a request that was cancelled. */
  RequestCancelled: -32800,
} as const;

const BRAND = Symbol.for("tenon.McpError");

/** Builds the subclass that belongs to a code, if there is one; subclasses register here. */
type Reviver = (error: ErrorData) => McpError | undefined;
const revivers = new Map<number, Reviver>();

/** A failed call: a JSON-RPC error that came from the peer, or one to send to it. */
export class McpError extends Error {
  // Each subclass repeats this as a literal, because minifiers change the names of classes.
  override name = "McpError";
  /** One of {@link ErrorCode}, or what the peer sent. */
  readonly code: number;
  /** More about the error; absent if there is nothing more. Security: data from the peer is unchecked. */
  declare readonly data?: unknown;

  /**
   * If a handler throws it, the peer receives exactly this `code`, `message` and `data`; the `cause` in `options` is never sent.
   * Codes outside -32768 to -32000 are free to use.
   */
  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  /** True for an `McpError` of this copy of the package or of another. */
  static isMcpError(value: unknown): value is McpError {
    return typeof value === "object" && value !== null && BRAND in value;
  }

  /** The error with that code: an instance of its subclass if there is one. */
  static fromErrorData(error: ErrorData): McpError {
    return revivers.get(error.code)?.(error) ?? new McpError(error.code, error.message, error.data);
  }

  /** The error of a JSON-RPC error response: an instance of its subclass if there is one. */
  static fromJsonRpcError(message: JSONRPCError): McpError {
    return McpError.fromErrorData(message.error);
  }

  /** The error object for the wire; without `data` if the error has none. */
  toErrorData(): ErrorData {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}
Object.defineProperty(McpError.prototype, BRAND, { value: true });

/**
 * @internal The error object as the peer will read it. It copies through text because errors are rare, and a server would otherwise
 * load the copying code for nothing else. @throws TypeError if the data has no JSON form
 */
export function toErrorData(error: McpError): ErrorData {
  return parseExact(stringifyExact(error.toErrorData())) as ErrorData; // the text of an ErrorData
}

/** @internal Registers how {@link McpError.fromErrorData} rebuilds a subclass. */
export function registerReviver(code: number, reviver: Reviver): void {
  revivers.set(code, reviver);
}

/** The connection ended, or had ended before the call was made. A request that was pending may or may not have been served. */
export class ConnectionClosedError extends McpError {
  override name = "ConnectionClosedError";

  /** `options.cause` is why the connection ended, if that is known. */
  constructor(message = "Connection closed", data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.ConnectionClosed, message, data, options);
  }
}

/**
 * The error that calls on a closed connection fail with. A `ConnectionClosedError` keeps its details; any other `reason` becomes
 * the cause.
 */
export function toClosedError(reason: unknown): ConnectionClosedError {
  if (reason instanceof ConnectionClosedError) return reason;
  return new ConnectionClosedError("Connection closed", undefined, reason === undefined ? undefined : { cause: reason });
}

/** Whether a request that failed may have been executed: `"not-sent"` is certain, `"unknown"` is not. */
export type Outcome = "not-sent" | "unknown";

/** One exchange with the server broke; the client itself stays usable. `data` is `{ outcome }`. */
export class ConnectionLostError extends ConnectionClosedError {
  override name = "ConnectionLostError";

  /** Whether the server may have acted on the request. Do not blindly repeat a request whose outcome is `"unknown"`. */
  readonly outcome: Outcome;

  /** `options.cause` is the platform's error. */
  constructor(message: string, outcome: Outcome, options?: ErrorOptions) {
    super(message, { outcome }, options);
    this.outcome = outcome;
  }
}

/** No response came in time. `data` is `{ method, timeoutMs }`; the message names the option that changes the limit. */
export class RequestTimeoutError extends McpError {
  override name = "RequestTimeoutError";

  /** The method of the request that got no response. */
  readonly method: string;
  /** The limit that was exceeded, in milliseconds. */
  readonly timeoutMs: number;

  /** `option` is the name of the option that set the limit, for the message: `timeout`, `maxTotalTimeout` or another. */
  constructor(method: string, timeoutMs: number, option = "timeout") {
    super(ErrorCode.RequestTimeout, `Request "${method}" timed out after ${timeoutMs} ms (option "${option}")`, { method, timeoutMs });
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}

/** The channel cannot carry a request to the peer. Thrown before anything is written. */
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

  /** The name of the option that sets the limit. */
  readonly limit: string;
  /** The value of that option, in its unit. */
  readonly max: number;

  /** `actual` is the value that exceeded the limit, if it was counted. `code` default -32600. */
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

  /** `message` must not quote what the peer sent: it may be sent back to the peer. */
  constructor(message: string, data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.InvalidRequest, message, data, options);
  }
}

/** The caller used an object in a state that does not allow it. Not an `McpError`: it is a bug to fix, not a call that failed. */
export class McpUsageError extends Error {
  override name = "McpUsageError";
}
