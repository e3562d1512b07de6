/**
 * Messages that are too long for one line (H15): what is written in their place.
 *
 * The peer would end the connection at such a line, and with it all other calls. So a result is an error of its call only.
 */
import { type Outgoing } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import { ErrorCode, LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { isResponse, type JSONRPCError, type JSONRPCMessage } from "../../jsonrpc/message.ts";
import { stringifyMessage } from "../../jsonrpc/serialise.ts";

/**
 * The text of a message of `bytes` bytes, which are more than `max`, without what is too large in it.
 * @throws LimitExceededError `limits.maxMessageBytes` for a request or a notification: these are not sent
 */
export function shortened(message: Outgoing, max: number, bytes: number): string {
  if (!isBatch(message)) return stringifyMessage(instead(message, max, bytes));
  let room = max;
  const fitting = message.map((each) => {
    const own = Buffer.byteLength(stringifyMessage(each));
    const fits = own < room;
    if (fits) room -= own;
    return fits ? each : instead(each, max, own);
  });
  return stringifyMessage(fitting);
}

function instead(message: JSONRPCMessage, max: number, bytes: number): JSONRPCMessage {
  if (isResponse(message)) return tooLarge(message.id ?? null, max, bytes);
  throw new LimitExceededError("limits.maxMessageBytes", max, bytes);
}

/** What a response of too many bytes is replaced by. */
export function tooLarge(id: JSONRPCError["id"], max: number, bytes: number): JSONRPCError {
  return { jsonrpc: "2.0", id, error: new LimitExceededError("limits.maxMessageBytes", max, bytes, ErrorCode.InternalError).toErrorData() };
}
