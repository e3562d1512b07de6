/**
 * Reads HTTP responses: the body within a size limit, its media type, and the JSON-RPC response in it.
 *
 * A body that is too long is cut off while it arrives. `failed-response.ts` handles error statuses; `read-events.ts` reads
 * event streams.
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

/** Drops a body that is not needed, which frees its connection. */
export function discard(response: HttpResponse): void {
  response.body?.cancel().catch(() => undefined); // the body may have failed already
}

/** Reads the text of a body. @param max bytes, after decompression @throws LimitExceededError naming `limits.maxResponseBytes` */
export function readText(response: HttpResponse, max: number): Promise<string> {
  const length = plainLength(response);
  if (length === undefined) return readStreamText(response, max);
  if (length <= max) return response.text();
  discard(response);
  return Promise.reject(bodyTooLongError(max, length));
}

async function readStreamText(response: HttpResponse, max: number): Promise<string> {
  const { text, complete } = await readUpTo(response, max);
  if (!complete) throw bodyTooLongError(max);
  return text;
}

/** Reads the beginning of a body, at most `max` bytes. Returns "" if it cannot be read. */
export async function readBeginning(response: HttpResponse, max: number): Promise<string> {
  try {
    return (await readUpTo(response, max)).text;
  } catch {
    return "";
  }
}

/** The size of the body, if the server declares it and the body is not compressed. */
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

function bodyTooLongError(max: number, actual?: number): LimitExceededError {
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

/** Whether that is a response with an id that no request has: servers that keep no ids write 0, or an empty text. */
export function answersNobody(incoming: Incoming): boolean {
  if (isBatch(incoming) || incoming instanceof MalformedMessage || !isResponse(incoming)) return false;
  return coerceRequestId(incoming.id) === 0 || incoming.id === "";
}

/** Gives the response on a resumed stream the id of the new call. The stream has no other response. */
export function adoptResponse(incoming: Incoming, id: RequestId): Incoming {
  if (isBatch(incoming)) return incoming;
  if (incoming instanceof MalformedMessage) return incoming.isResponse ? new MalformedMessage(incoming.error, id, true) : incoming;
  return isResponse(incoming) ? { ...incoming, id } : incoming;
}

/**
 * Parses a JSON body. @param size most characters
 * @throws LimitExceededError if it is larger; McpError if the server could not read the request
 */
export function parseResponse(text: string, size: number): Incoming {
  const incoming = parseMessage(text, { size });
  const malformed = incoming instanceof MalformedMessage;
  if (malformed && incoming.error instanceof LimitExceededError) throw incoming.error;
  // The server could not read the id of the request, and the POST had only this one.
  if (!malformed && !isBatch(incoming) && "error" in incoming && incoming.id === null) throw reviveError(incoming.error);
  return incoming;
}
