/**
 * The four JSON-RPC 2.0 messages and their guards.
 *
 * This is the whole vocabulary of a transport: the layers above it work with methods and params, the layers below with bytes.
 * Nothing here knows about MCP.
 */
/** A JSON object whose members are not known yet. */
export type JsonObject = { [key: string]: unknown };

/** The id of a request: a string or a safe integer, unique among the sender's pending requests. */
export type RequestId = string | number;

/**
 * A request (JSON-RPC 2.0, section 4): `jsonrpc` is always `"2.0"`, the response repeats `id`, `method` names the operation and
 * `params` are its arguments.
 */
export interface JSONRPCRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

/** A message without a response (JSON-RPC 2.0, section 4.1): like a request without an id, so `jsonrpc`, `method` and `params`. */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

/** The response to a request that succeeded (JSON-RPC 2.0, section 5): `jsonrpc`, and the `id` of the request. */
export interface JSONRPCResponse {
  jsonrpc: "2.0";
  id: RequestId;
  /** A plain object, or {@link JsonText} if it is serialised already. */
  result: JsonObject | JsonText;
}

/** The error object of a JSON-RPC error response (JSON-RPC 2.0, section 5.1). */
export interface ErrorData {
  /** An integer, one of `ErrorCode` or one of your own outside -32768 to -32000. */
  code: number;
  /** What went wrong, in one concise sentence. */
  message: string;
  /** Any JSON value; absent if there is nothing more to say. */
  data?: unknown;
}

/** The response to a request that failed (JSON-RPC 2.0, section 5): `jsonrpc`, the `id` of the request, and the `error`. */
export interface JSONRPCError {
  jsonrpc: "2.0";
  /** `null` if the id of a malformed request could not be read. */
  id: RequestId | null;
  error: ErrorData;
}

/** Any message. Its members tell its kind: whether it has `method`, `id` and `error`. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

/** JSON that is serialised already and is written without a change. */
export class JsonText {
  /** The text of one JSON object without whitespace. It is not checked. */
  readonly text: string;
  /** Whether many messages carry this text, so that caching its bytes pays. */
  readonly reused: boolean;
  /** @internal Where the Node layer caches the bytes of a long text. */
  declare bytes?: Uint8Array;

  /** `text` must be the JSON of an object, without line breaks: it is written without a check. */
  constructor(text: string, reused = false) {
    this.text = text;
    this.reused = reused;
  }

  /** The parsed value, for readers that cannot use the text. @throws SyntaxError if the text is not JSON */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Longest string accepted as a request id, in UTF-16 code units. */
export const MAX_ID_LENGTH = 256;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own member. Assigning `__proto__` would set the prototype. */
export function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Whether a value is a safe integer, or a well-formed string of at most {@link MAX_ID_LENGTH} characters. The empty string is valid. */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "string" && value.length <= MAX_ID_LENGTH && !LONE_SURROGATE.test(value);
}

/** Takes linear time: one code point at a time, no repetition. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Some peers keep every number as one with a fraction: `7.0`. */
const INTEGER = /^-?\d{1,16}(\.0)?$/;

/**
 * Turns a string id that spells an integer into that integer, so that a peer that echoes our `7` as `"7"` or `"7.0"` still settles the call.
 * Any other id is returned unchanged.
 */
export function coerceRequestId(id: RequestId): RequestId;
/** The same for a value that may not be an id; then it is returned unchanged. */
export function coerceRequestId(id: unknown): unknown;
export function coerceRequestId(id: unknown): unknown {
  if (typeof id !== "string" || !INTEGER.test(id)) return id;
  const number = Number(id);
  return Number.isSafeInteger(number) ? number : id;
}

export function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return "method" in message && "id" in message;
}

export function isNotification(message: JSONRPCMessage): message is JSONRPCNotification {
  return "method" in message && !("id" in message);
}

export function isResponse(message: JSONRPCMessage): message is JSONRPCResponse | JSONRPCError {
  return !("method" in message);
}

/** Whether a value is a valid request, notification or result of the common form, which needs no further check. */
export function isPlainMessage(value: unknown): value is JSONRPCRequest | JSONRPCNotification | JSONRPCResponse {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  const { id, method, params, result, error } = value;
  if (error !== undefined || (id !== undefined && !isRequestId(id))) return false;
  if (method === undefined) return id !== undefined && isJsonObject(result);
  return typeof method === "string" && result === undefined && (params === undefined || isJsonObject(params));
}

/** `Array.isArray` for a union with a read-only list, which the compiler does not tell apart by itself. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** `Array.isArray` for a value that is one message or a read-only batch. */
export function isBatch<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

// ---- members of an envelope that were mended (mended-envelope.ts) ----

export interface MendedMember {
  readonly name: "params" | "result" | "error" | "method" | "id";
  readonly was: "null" | "empty-list";
}

const mendedMembers = new WeakMap<object, readonly MendedMember[]>();
/** Most processes never meet such a message, and so need no look-up. */
let hasMended = false;

/** Notes at the params or the result of a message what was mended beside them. */
export function noteMended(content: JsonObject, members: readonly MendedMember[]): void {
  mendedMembers.set(content, members);
  hasMended = true;
}

/** What was mended in the envelope of these params or this result; undefined for nearly all. */
export function mendedMembersOf(content: object): readonly MendedMember[] | undefined {
  return hasMended ? mendedMembers.get(content) : undefined;
}
