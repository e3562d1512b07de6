/**
 * Whether a JSON value is one of the four JSON-RPC messages.
 *
 * Members the specification does not know are tolerated and kept; names are compared exactly, so `"Method"` is one of
 * those. What a method expects of its params is the business of the codecs.
 */
import { MalformedMessage } from "./incoming.ts";
import { ProtocolViolationError } from "./mcp-error.ts";
import { isJsonObject, isPlainMessage, isRequestId, type JSONRPCMessage, type JsonObject, type RequestId } from "./message.ts";

/** The value itself where it is a message; else what is wrong with it, with the id it carries where that is a legal one. */
export function checkMessage(value: unknown): JSONRPCMessage | MalformedMessage {
  if (isPlainMessage(value)) return value;
  if (!isJsonObject(value)) return new MalformedMessage(new ProtocolViolationError("Invalid message: not an object"));
  const isResponse = value.method === undefined && (value.result !== undefined || value.error !== undefined);
  const wrong = value.jsonrpc !== "2.0" ? '"jsonrpc" must be "2.0"' : isResponse ? responseFault(value) : callFault(value);
  if (wrong !== undefined) {
    return new MalformedMessage(new ProtocolViolationError(`Invalid message: ${wrong}`), readableId(value), isResponse);
  }
  // Adopted: every member the types promise was checked above.
  return value as unknown as JSONRPCMessage;
}

/** The id of something that is no legal message, or `null`. */
function readableId(value: JsonObject): RequestId | null {
  return isRequestId(value.id) ? value.id : null;
}

function callFault({ id, method, params, result, error }: JsonObject): string | undefined {
  if (method === undefined) return 'neither "method" nor "result" nor "error"';
  if (typeof method !== "string") return '"method" must be a string';
  if (id !== undefined && !isRequestId(id)) return '"id" must be a safe integer or a short, well-formed string';
  if (params !== undefined && !isJsonObject(params)) return '"params" must be an object';
  if (result !== undefined || error !== undefined) return '"method" beside "result" or "error"';
  return undefined;
}

function responseFault(response: JsonObject): string | undefined {
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
