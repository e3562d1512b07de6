/**
 * The four JSON-RPC 2.0 messages and their guards.
 *
 * This is the whole vocabulary of a transport: everything above it speaks in methods and params, everything below
 * it in bytes. Nothing here knows about MCP.
 */
/** A JSON object whose members are not known yet. */
export type JsonObject = { [key: string]: unknown };

/** What a request is known by: a string or a safe integer, unique among the sender's requests in flight (ID-01, A1.2). */
export type RequestId = string | number;

/** A request: `jsonrpc` is always `"2.0"`, `id` is repeated by its answer, `method` says what is asked and `params` of what (TY-01). */
export interface JSONRPCRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

/** A message that wants no answer: like a request without an id, so `jsonrpc`, `method` and `params` (TY-02). */
export interface JSONRPCNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

/** The answer to a request that was served: `jsonrpc`, and the `id` of the request (TY-03). */
export interface JSONRPCResponse {
  jsonrpc: "2.0";
  id: RequestId;
  /** A plain object, or {@link JsonText} where the bytes are ready-made. */
  result: JsonObject | JsonText;
}

/** The error object of a JSON-RPC error response (TY-05). */
export interface ErrorData {
  /** An integer, one of `ErrorCode` or one of your own outside -32768 to -32000. */
  code: number;
  /** What went wrong, in one concise sentence. */
  message: string;
  /** Anything JSON can hold; absent where there is nothing more to say. */
  data?: unknown;
}

/** The answer to a request that failed: `jsonrpc`, the request's id, and what went wrong as `error` (TY-04). */
export interface JSONRPCError {
  jsonrpc: "2.0";
  /** `null` where the id of a malformed request could not be read. */
  id: RequestId | null;
  error: ErrorData;
}

/** Any message (TY-06). Told apart by what is there: `method` or not, `id` or not, `error` or not. */
export type JSONRPCMessage = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError;

/** JSON that has been serialised already and is written as it stands. */
export class JsonText {
  /** One JSON object, in the shortest form. Nobody checks it. */
  readonly text: string;
  /** Whether many messages carry it, so that its bytes are worth keeping. */
  readonly reused: boolean;
  /** @internal Where the Node edge keeps the bytes of a long one. */
  declare bytes?: Uint8Array;

  /** `text` must be the JSON of an object, without line breaks: it goes to the wire as it is. */
  constructor(text: string, reused = false) {
    this.text = text;
    this.reused = reused;
  }

  /** What it says, for whoever cannot use the text. @throws SyntaxError for text that is no JSON */
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** Longest string accepted as a request id, in UTF-16 code units. */
export const MAX_ID_LENGTH = 256;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A safe integer, or a well-formed string of at most {@link MAX_ID_LENGTH} characters; the empty one is one too. */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === "number") return Number.isSafeInteger(value);
  return typeof value === "string" && value.length <= MAX_ID_LENGTH && !LONE_SURROGATE.test(value);
}

/** Linear: one code point at a time, no repetition. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const INTEGER = /^-?\d{1,16}$/;

/**
 * The integer a string id spells, so that a peer that echoes our `7` as `"7"` still settles the call (seed 004).
 * Anything else is returned as it is.
 */
export function coerceRequestId(id: RequestId): RequestId;
/** The same of what may be no id at all, which is returned as it is. */
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

/** Whether a value is a request, a notification or a result as nearly all are: nothing has to be said about it. */
export function isPlainMessage(value: unknown): value is JSONRPCRequest | JSONRPCNotification | JSONRPCResponse {
  if (!isJsonObject(value) || value["jsonrpc"] !== "2.0") return false;
  const { id, method, params, result, error } = value;
  if (error !== undefined || (id !== undefined && !isRequestId(id))) return false;
  if (method === undefined) return id !== undefined && isJsonObject(result);
  return typeof method === "string" && result === undefined && (params === undefined || isJsonObject(params));
}

/** `Array.isArray` for what is one message or a read-only batch of them. */
export function isBatch<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
