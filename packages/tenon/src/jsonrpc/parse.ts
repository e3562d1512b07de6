/**
 * Parses text from the peer into messages: the one entry for every transport, on clients and servers.
 *
 * It never throws. Text that is not a message becomes a `MalformedMessage`, and the reader of the connection responds to it or
 * reports it. The reader also decides on batches, which only one revision allows. Members that the specification does not define
 * are kept; names are compared exactly, so `"Method"` is such a member. The codecs check the params of each method.
 */
import { MalformedMessage, type Incoming } from "./incoming.ts";
import { isBatch, isJsonObject, isPlainMessage, isRequestId, type JSONRPCMessage, type JsonObject, type RequestId } from "./message.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import { toMalformedMessage } from "./malformed-text.ts";
import { mendEnvelope } from "./mended-envelope.ts";
import { parseJson } from "./parse-json.ts";

/**
 * The message in `text`, or the batch, or what is wrong with it: -32700 if it is not JSON; -32600 if it is not a message, has a
 * duplicate key, or exceeds a limit (a `LimitExceededError` that names the option of {@link JsonLimits}).
 *
 * @param limits those that differ from {@link DEFAULT_JSON_LIMITS}
 */
export function parseMessage(text: string, limits?: Partial<JsonLimits>): Incoming {
  try {
    return checkValue(parseJson(text, limits), limits?.batch ?? DEFAULT_JSON_LIMITS.batch);
  } catch (error) {
    return toMalformedMessage(
      McpError.isMcpError(error) ? error : new McpError(ErrorCode.ParseError, "Parse error", undefined, { cause: error }),
      text,
    );
  }
}

/** The message or the batch that a value is, or what is wrong with it. */
export function checkValue(value: unknown, maxBatch: number): Incoming {
  return Array.isArray(value) ? checkBatch(value, maxBatch) : checkMessage(value);
}

function checkBatch(values: readonly unknown[], max: number): Incoming {
  if (values.length === 0) return new MalformedMessage(new ProtocolViolationError("Invalid message: empty batch"));
  if (values.length > max) return new MalformedMessage(new LimitExceededError("batch", max, values.length));
  return values.map(checkMessage);
}

/** The value itself if it is a message; else what is wrong with it, with its id if that is valid. */
export function checkMessage(value: unknown): JSONRPCMessage | MalformedMessage {
  if (isPlainMessage(value)) return value;
  if (!isJsonObject(value)) return new MalformedMessage(new ProtocolViolationError("Invalid message: not an object"));
  const wrong = findFault(value);
  if (wrong === undefined) return value as unknown as JSONRPCMessage; // every member that the types promise was checked
  const mended = mendEnvelope(value);
  if (mended !== undefined && findFault(mended) === undefined) return mended as unknown as JSONRPCMessage; // likewise
  return new MalformedMessage(new ProtocolViolationError(`Invalid message: ${wrong}`), readId(value), isResponse(value));
}

function isResponse({ method, result, error }: JsonObject): boolean {
  return (method ?? undefined) === undefined && (result !== undefined || error !== undefined);
}

function findFault(value: JsonObject): string | undefined {
  if (value.jsonrpc !== "2.0") return '"jsonrpc" must be "2.0"';
  return value.method === undefined && isResponse(value) ? findResponseFault(value) : findCallFault(value);
}

function readId(value: JsonObject): RequestId | null {
  return isRequestId(value.id) ? value.id : null;
}

function findCallFault({ id, method, params, result, error }: JsonObject): string | undefined {
  if (method === undefined) return 'neither "method" nor "result" nor "error"';
  if (typeof method !== "string") return '"method" must be a string';
  if (id !== undefined && !isRequestId(id)) return '"id" must be a safe integer or a short, well-formed string';
  if (params !== undefined && !isJsonObject(params)) return '"params" must be an object';
  if (result !== undefined || error !== undefined) return '"method" beside "result" or "error"';
  return undefined;
}

function findResponseFault(response: JsonObject): string | undefined {
  const { id, result, error } = response;
  if (error === undefined) {
    if (!isRequestId(id)) return 'a result needs the "id" of its request';
    return isJsonObject(result) ? undefined : '"result" must be an object';
  }
  if (result !== undefined) return 'both "result" and "error"';
  if (!isJsonObject(error) || !Number.isInteger(error.code) || typeof error.message !== "string") {
    return `"error" must have an integer "code" and a string "message"${saidIn(error)}`;
  }
  // If the id of a request could not be read, the error has the id null (older revisions) or no id (newer ones).
  if (id === undefined) response.id = null;
  else if (id !== null && !isRequestId(id)) return '"id" must be null, a safe integer or a short, well-formed string';
  return undefined;
}

/** What the peer wrote as its error, so that the reason is not lost. */
function saidIn(error: unknown): string {
  const text = isJsonObject(error) ? error.message : error;
  return typeof text === "string" && text !== "" ? `; the peer says: ${text.slice(0, MAX_SAID)}` : "";
}

/** How much of such an error is repeated, in UTF-16 code units. */
const MAX_SAID = 500;

/**
 * Parses one JSON-RPC message, for programs that read lines themselves.
 *
 * @throws McpError -32700 if the line is not JSON, -32600 if it is not one message (a batch included)
 */
export function parseJsonRpcMessage(line: string, limits?: Partial<JsonLimits>): JSONRPCMessage {
  const incoming = parseMessage(line, limits);
  if (incoming instanceof MalformedMessage) throw incoming.error;
  if (isBatch(incoming)) throw new McpError(ErrorCode.InvalidRequest, "Invalid request: a batch is not one message");
  return incoming;
}
