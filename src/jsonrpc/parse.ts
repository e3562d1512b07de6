/**
 * Text from the peer to messages: the one way in, for every transport and both roles.
 *
 * Never throws. What is not a message becomes a `MalformedMessage`, which whoever reads the connection answers or
 * reports; it decides on batches too, which only one revision allows.
 */
import { checkMessage } from "./check-message.ts";
import { isBatch, MalformedMessage, type Incoming } from "./incoming.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import { malformedText } from "./malformed-text.ts";
import type { JSONRPCMessage } from "./message.ts";
import { parseJson } from "./parse-json.ts";

/**
 * The message in `text`, or the batch, or what is wrong with it: -32700 where it is not JSON, -32600 where it is not a
 * message, has a key twice, or exceeds a limit (a `LimitExceededError` naming the one of {@link JsonLimits}).
 *
 * @param limits those that differ from {@link DEFAULT_JSON_LIMITS}
 * @param fault what is known to be wrong with the text already, whatever it says
 */
export function parseMessage(text: string, limits?: Partial<JsonLimits>, fault?: McpError): Incoming {
  try {
    if (fault !== undefined) throw fault;
    const value = parseJson(text, limits);
    return Array.isArray(value) ? checkBatch(value, limits?.batch ?? DEFAULT_JSON_LIMITS.batch) : checkMessage(value);
  } catch (error) {
    return malformedText(
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
