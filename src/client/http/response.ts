/**
 * Reads HTTP responses: the body within a bound, its media type, and the JSON-RPC response in it.
 *
 * A body that is too long is cut off while it arrives, not after. What a response that is no success means is in
 * `failed-response.ts`; streams of events are read by `read-events.ts`.
 */
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { MalformedMessage, type Incoming } from "../../jsonrpc/incoming.ts";
import { coerceRequestId, isBatch, isResponse, type JSONRPCMessage, type RequestId } from "../../jsonrpc/message.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import { parseMessage } from "../../jsonrpc/parse.ts";
import { reviveError } from "../../protocol/error-revival.ts";
import type { HttpResponse } from "./fetch.ts";

// ---- the body ----

/** The media type of a body, without its parameters. */
export function mediaTypeOf(response: HttpResponse): string | undefined {
  return response.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
}

/** Drops a body that is not needed, so that its connection is free. */
export function discard(response: HttpResponse): void {
  response.body?.cancel().catch(() => undefined); // it may have ended with an error, which changes nothing
}

/**
 * The text of a body.
 * @param max bytes, after decompression
 * @throws LimitExceededError naming `limits.maxResponseBytes`
 */
export async function readText(response: HttpResponse, max: number): Promise<string> {
  const length = plainLength(response);
  if (length !== undefined) {
    if (length <= max) return response.text();
    discard(response);
    throw tooLong(max, length);
  }
  const { text, complete } = await readUpTo(response, max);
  if (!complete) throw tooLong(max);
  return text;
}

/** The beginning of a body, at most `max` bytes; "" where it cannot be read. */
export async function readBeginning(response: HttpResponse, max: number): Promise<string> {
  try {
    return (await readUpTo(response, max)).text;
  } catch {
    return "";
  }
}

/** The size of the body where the server gave it and nothing unpacks it on the way. */
function plainLength({ headers }: HttpResponse): number | undefined {
  const length = headers.get("content-length");
  if (length === null || headers.has("content-encoding")) return undefined;
  const bytes = Number(length);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

async function readUpTo({ body }: HttpResponse, max: number): Promise<{ text: string; complete: boolean }> {
  if (body === null) return { text: "", complete: true };
  const reader = body.getReader();
  const bytes = new GatheredBytes();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: decode(bytes), complete: true };
    const room = max - bytes.length;
    bytes.add(value.subarray(0, room));
    if (value.length <= room) continue;
    reader.cancel().catch(() => undefined);
    return { text: decode(bytes), complete: false };
  }
}

function decode(bytes: GatheredBytes): string {
  const decoder = new TextDecoder();
  const texts = bytes.pieces().map((piece) => decoder.decode(piece, { stream: true }));
  return texts.join("") + decoder.decode();
}

function tooLong(max: number, actual?: number): LimitExceededError {
  return new LimitExceededError("limits.maxResponseBytes", max, actual);
}

// ---- the JSON-RPC response in it ----

type Item = JSONRPCMessage | MalformedMessage;

/** The response to the request with that id; undefined if it is not there. */
export function responseIn(incoming: Incoming, id: RequestId): Item | undefined {
  if (isBatch(incoming)) return incoming.find((item) => isResponseTo(item, id));
  return isResponseTo(incoming, id) ? incoming : undefined;
}

function isResponseTo(item: Item, id: RequestId): boolean {
  const own = item instanceof MalformedMessage ? (item.isResponse ? item.id : null) : isResponse(item) ? item.id : null;
  return own !== null && coerceRequestId(own) === coerceRequestId(id);
}

/** The only response on the stream of a call is the response to it, whatever id the call had when it began. */
export function adoptResponse(incoming: Incoming, id: RequestId): Incoming {
  if (isBatch(incoming) || incoming instanceof MalformedMessage || !isResponse(incoming)) return incoming;
  return { ...incoming, id };
}

/**
 * A JSON body with the response in it; undefined if it has another content. @param size characters it may have
 * @throws LimitExceededError if it is larger; McpError if the server could not read the request
 */
export function parseResponse(text: string, size: number, id: RequestId): Incoming | undefined {
  const incoming = parseMessage(text, { size });
  const malformed = incoming instanceof MalformedMessage;
  if (malformed && incoming.error instanceof LimitExceededError) throw incoming.error;
  // What is wrong with the only request there is, from a server that could not read its id.
  if (!malformed && !isBatch(incoming) && "error" in incoming && incoming.id === null) throw reviveError(incoming.error);
  return responseIn(incoming, id) === undefined ? undefined : incoming;
}
