/**
 * Replaces messages that are too long for one line.
 *
 * The peer would end the connection at such a line, and with it all other calls. So a result becomes an error of its call
 * only.
 */
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch, isResponse, type JSONRPCError, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";

export interface Exceeded {
  /** The name of the option that sets it. */
  readonly limit: "limits.maxMessageBytes" | "limits.maxUnreadBytes";
  readonly max: number;
  readonly bytes: number;
}

/**
 * The text of a message that exceeds a limit, without what is too large in it. Of a batch as many responses stay as fit into `room` bytes.
 * @throws LimitExceededError for a request or a notification: these are not sent
 */
export function shortenMessage(message: Outgoing, exceeded: Exceeded, room: number): string {
  if (!isBatch(message)) return stringifyMessage(replaceMessage(message, exceeded));
  let left = room;
  const fitting = message.map((each) => {
    const own = Buffer.byteLength(stringifyMessage(each));
    const fits = own < left;
    if (fits) left -= own;
    return fits ? each : replaceMessage(each, exceeded.limit === "limits.maxMessageBytes" ? { ...exceeded, bytes: own } : exceeded);
  });
  return stringifyMessage(fitting);
}

function replaceMessage(message: JSONRPCMessage, exceeded: Exceeded): JSONRPCMessage {
  if (isResponse(message)) return tooLargeResponse(message.id ?? null, exceeded);
  throw new LimitExceededError(exceeded.limit, exceeded.max, exceeded.bytes);
}

/** The error that replaces a response. */
export function tooLargeResponse(id: JSONRPCError["id"], { limit, max, bytes }: Exceeded): JSONRPCError {
  return { jsonrpc: "2.0", id, error: new LimitExceededError(limit, max, bytes, ErrorCode.InternalError).toErrorData() };
}
