/** The error of a call whose node has ended, as another node writes it to the stream of the call. */
import { jsonIn } from "../../../jsonrpc/parse-json.ts";
import { DamagedEntryError, parseStored } from "../../../storage/damaged-entry.ts";
import type { Acceptor } from "../../../dispatch/acceptor.ts";
import { type Incoming, MalformedMessage } from "../../../jsonrpc/incoming.ts";
import { ErrorCode } from "../../../jsonrpc/mcp-error.ts";
import {
  isBatch,
  isJsonObject,
  isRequest,
  isRequestId,
  type JSONRPCError,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from "../../../jsonrpc/message.ts";
import { READING_METHODS } from "../../../protocol/methods.ts";
import type { StreamedRequests } from "../sessions/streams.ts";

/** What the stream of a POST carries for the node that may have to end it. */
export interface StreamNote {
  readonly ids: readonly RequestId[];
  /** Whether the responses are sent as an array. */
  readonly batch: boolean;
  /** Whether the client may send all of them again without harm. */
  readonly repeatable: boolean;
  /** The request, if another node may run it again. */
  readonly call?: JSONRPCRequest;
}

/** Characters of the longest request that is kept to be run again. */
const MAX_CALL = 49_152;

export function noteOf(server: Acceptor, { ids, incoming }: StreamedRequests): StreamNote {
  const messages: readonly Incoming[] = isBatch(incoming) ? incoming : [incoming];
  const note = { ids, batch: isBatch(incoming), repeatable: messages.every((message) => isRepeatable(server, message)) };
  const call = note.repeatable ? callOf(incoming) : undefined;
  return call === undefined ? note : { ...note, call };
}

/** The request that can be run again. An array of requests is not: some may have their response already. */
function callOf(incoming: Incoming): JSONRPCRequest | undefined {
  if (incoming instanceof MalformedMessage || isBatch(incoming) || !isRequest(incoming)) return undefined;
  return JSON.stringify(incoming).length <= MAX_CALL ? incoming : undefined;
}

function isRepeatable(server: Acceptor, message: Incoming): boolean {
  if (message instanceof MalformedMessage || isBatch(message) || !isRequest(message)) return true;
  const { method, params = {} } = message;
  return READING_METHODS.has(method) || server.shared?.isRepeatable?.(method, params) === true;
}

/** The last message of a stream whose node has ended. `data.repeatable`: whether the client may send the request again. */
export function lostCallText({ ids, batch, repeatable }: StreamNote): string {
  const data = { reason: "nodeLost", delivery: "unknown", repeatable };
  const error = { code: ErrorCode.InternalError, message: "The node that ran this call is gone", data };
  const responses = ids.map((id): JSONRPCError => ({ jsonrpc: "2.0", id, error }));
  return JSON.stringify(batch ? responses : responses[0]);
}

/** Whether the last event of a stream is the response that ends it. */
export function isFinal(data: string): boolean {
  const message: unknown = jsonIn(data);
  return Array.isArray(message) || (isJsonObject(message) && ("result" in message || "error" in message));
}

/** The note of a stream as its node wrote it. @throws DamagedEntryError */
export function noteIn(text: string | undefined): StreamNote {
  const what = "The note of a stream";
  const note = parseStored(what, text ?? "");
  if (!isJsonObject(note) || !Array.isArray(note["ids"]) || !note["ids"].every((id) => isRequestId(id)))
    throw new DamagedEntryError(what, "does not name its requests");
  const call = note["call"];
  if (call !== undefined && !(isJsonObject(call) && isRequest(call as object as JSONRPCMessage)))
    throw new DamagedEntryError(what, "has a call that is not a request");
  return note as object as StreamNote; // checked above
}
