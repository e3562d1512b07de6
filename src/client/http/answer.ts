/** Which of the messages that an HTTP response brings is the answer to the request that was sent. */
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { isBatch } from "../../jsonrpc/message.ts";
import { coerceRequestId, isResponse, type JSONRPCMessage, type RequestId } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import { reviveError } from "../../protocol/error-revival.ts";

type Item = JSONRPCMessage | MalformedMessage;

/** The answer to the request with that id, where it is there. */
export function answerIn(incoming: Incoming, id: RequestId): Item | undefined {
  if (isBatch(incoming)) return incoming.find((item) => isAnswer(item, id));
  return isAnswer(incoming, id) ? incoming : undefined;
}

function isAnswer(item: Item, id: RequestId): boolean {
  const own = idOfResponse(item);
  return own !== null && coerceRequestId(own) === coerceRequestId(id);
}

/** Null also where it is no response. */
function idOfResponse(item: Item): RequestId | null {
  if (item instanceof MalformedMessage) return item.isResponse ? item.id : null;
  return isResponse(item) ? item.id : null;
}

/** The only response on the stream of a call is the answer to it, whatever the id the call had when it began. */
export function adoptAnswer(incoming: Incoming, id: RequestId): Incoming {
  if (isBatch(incoming) || incoming instanceof MalformedMessage || !isResponse(incoming)) return incoming;
  return { ...incoming, id };
}

/**
 * A JSON body with the answer in it; undefined where there is none. @param size characters it may have
 * @throws LimitExceededError where it is larger; McpError where the server could not read the request
 */
export function parseAnswer(text: string, size: number, id: RequestId): Incoming | undefined {
  const incoming = parseMessage(text, { size });
  const malformed = incoming instanceof MalformedMessage;
  if (malformed && incoming.error instanceof LimitExceededError) throw incoming.error;
  // What is wrong with the only request there is, from a server that could not read its id (Z14).
  if (!malformed && !isBatch(incoming) && "error" in incoming && incoming.id === null) throw reviveError(incoming.error);
  return answerIn(incoming, id) === undefined ? undefined : incoming;
}
