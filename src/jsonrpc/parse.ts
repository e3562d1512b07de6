/**
 * Text from the peer to messages: the one way in, for every transport and both roles.
 *
 * Never throws. What is not a message becomes a `MalformedMessage`, which the reader of the connection answers or
 * reports; the reader decides on batches too, which only one revision allows. Members the specification does not know are
 * kept; names are compared exactly, so `"Method"` is one of those. What a method expects of its params is checked by the codecs.
 */
import { MalformedMessage, type Incoming } from "./incoming.ts";
import { isBatch } from "./message.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import { toMalformedMessage } from "./malformed-text.ts";
import { isJsonObject, isPlainMessage, isRequestId, type JSONRPCMessage, type JsonObject, type RequestId } from "./message.ts";
import { parseJson } from "./parse-json.ts";

/**
 * The message in `text`, or the batch, or what is wrong with it: -32700 where it is not JSON, -32600 where it is not a
 * message, has a key twice, or exceeds a limit (a `LimitExceededError` naming the one of {@link JsonLimits}).
 *
 * @param limits those that differ from {@link DEFAULT_JSON_LIMITS}
 */
export function parseMessage(text: string, limits?: Partial<JsonLimits>): Incoming {
  try {
    const value = parseJson(text, limits);
    return Array.isArray(value) ? checkBatch(value, limits?.batch ?? DEFAULT_JSON_LIMITS.batch) : checkMessage(value);
  } catch (error) {
    return toMalformedMessage(
      McpError.isMcpError(error) ? error : new McpError(ErrorCode.ParseError, "Parse error", undefined, { cause: error }),
      text,
    );
  }
}

function checkBatch(values: readonly unknown[], max: number): Incoming {
  if (values.length === 0) return new MalformedMessage(new ProtocolViolationError("Invalid message: empty batch"));
  if (values.length > max) return new MalformedMessage(new LimitExceededError("batch", max, values.length));
  return values.map(checkMessage);
}

/** The value itself where it is a message; else what is wrong with it, with the id it carries where that is a legal one. */
export function checkMessage(value: unknown): JSONRPCMessage | MalformedMessage {
  if (isPlainMessage(value)) return value;
  if (!isJsonObject(value)) return new MalformedMessage(new ProtocolViolationError("Invalid message: not an object"));
  const isResponse = value.method === undefined && (value.result !== undefined || value.error !== undefined);
  const wrong = value.jsonrpc !== "2.0" ? '"jsonrpc" must be "2.0"' : isResponse ? findResponseFault(value) : findCallFault(value);
  if (wrong !== undefined) {
    return new MalformedMessage(new ProtocolViolationError(`Invalid message: ${wrong}`), readId(value), isResponse);
  }
  // Adopted: every member the types promise was checked above.
  return value as unknown as JSONRPCMessage;
}

/** The id of something that is no legal message, or `null`. */
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
    return '"error" must have an integer "code" and a string "message"';
  }
  // A request whose id could not be read is answered with null (older revisions) or without an id (newer ones).
  if (id === undefined) response.id = null;
  else if (id !== null && !isRequestId(id)) return '"id" must be null, a safe integer or a short, well-formed string';
  return undefined;
}

/**
 * One JSON-RPC message, for those who read lines themselves (checklist TY-06).
 *
 * @throws McpError -32700 for what is not JSON, -32600 for what is no message, a batch included
 */
export function parseJsonRpcMessage(line: string, limits?: Partial<JsonLimits>): JSONRPCMessage {
  const incoming = parseMessage(line, limits);
  if (incoming instanceof MalformedMessage) throw incoming.error;
  if (isBatch(incoming)) throw new McpError(ErrorCode.InvalidRequest, "Invalid request: a batch is not one message");
  return incoming;
}
