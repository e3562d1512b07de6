/**
 * The one error family: everything a call can fail with is an {@link McpError}.
 *
 * What came from the peer keeps its code and data; failures of this side are the small subclasses below, told apart
 * by `instanceof` or by `code`. Wrong use of the API is {@link McpUsageError}, `TypeError` or `RangeError` instead.
 */
import { isJsonObject, type JSONRPCError } from "./message.ts";

/** The error object of a JSON-RPC error response. */
export interface ErrorData {
  code: number;
  /** One concise sentence. */
  message: string;
  data?: unknown;
}

/** Whether a value is an error object: told by its integer `code` and its `message`. */
export function isErrorData(value: unknown): value is ErrorData {
  return isJsonObject(value) && Number.isInteger(value["code"]) && typeof value["message"] === "string";
}

/** Every code Tenon sends or raises. `ConnectionClosed` and `RequestTimeout` are local and never sent. */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ConnectionClosed: -32000,
  RequestTimeout: -32001,
  ResourceNotFound: -32002,
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,
  UrlElicitationRequired: -32042,
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
  readonly code: number;
  declare readonly data?: unknown;

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    if (data !== undefined) this.data = data;
  }

  /** True for an `McpError` of this or of another copy of the package. */
  static isMcpError(value: unknown): value is McpError {
    return value instanceof McpError || (typeof value === "object" && value !== null && BRAND in value);
  }

  /** The error of that code, as its own subclass where there is one. */
  static fromErrorData(error: ErrorData): McpError {
    return revivers.get(error.code)?.(error) ?? new McpError(error.code, error.message, error.data);
  }

  static fromJsonRpcError(message: JSONRPCError): McpError {
    return McpError.fromErrorData(message.error);
  }

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
export function toPlain(error: McpError): ErrorData {
  return JSON.parse(JSON.stringify(error.toErrorData())) as ErrorData; // what was written just now
}

/** @internal Lets a subclass be rebuilt by {@link McpError.fromErrorData}. */
export function reviveAs(code: number, reviver: Reviver): void {
  revivers.set(code, reviver);
}

/** The connection ended, or had ended before the call was made. */
export class ConnectionClosedError extends McpError {
  override name = "ConnectionClosedError";

  constructor(message = "Connection closed", data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.ConnectionClosed, message, data, options);
  }
}

/** No answer came in time. `data` is `{ method, timeoutMs }`. */
export class RequestTimeoutError extends McpError {
  override name = "RequestTimeoutError";

  readonly method: string;
  readonly timeoutMs: number;

  constructor(method: string, timeoutMs: number, option = "timeout") {
    super(ErrorCode.RequestTimeout, `Request "${method}" timed out after ${timeoutMs} ms (option "${option}")`, { method, timeoutMs });
    this.method = method;
    this.timeoutMs = timeoutMs;
  }
}

/** The channel at hand cannot carry a request to the peer. Raised before anything is written. */
export class NoBackChannelError extends McpError {
  override name = "NoBackChannelError";

  readonly method: string;

  constructor(method: string) {
    super(ErrorCode.InvalidRequest, `Cannot send '${method}': this transport context has no back-channel for server-initiated requests.`);
    this.method = method;
  }
}

/** A limit was exceeded. `data` is `{ limit, max, actual? }`; `limit` is the name of the option that changes it. */
export class LimitExceededError extends McpError {
  override name = "LimitExceededError";

  readonly limit: string;
  readonly max: number;

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

  constructor(message: string, data?: unknown, options?: ErrorOptions) {
    super(ErrorCode.InvalidRequest, message, data, options);
  }
}

/** The caller used an object in a state that does not allow it. */
export class McpUsageError extends Error {
  override name = "McpUsageError";
}
