/** Reads response bodies within a bound: what is too long is cut off while it arrives, not after (C3, R6). */
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { LimitExceededError } from "../../jsonrpc/mcp-error.ts";
import type { HttpResponse } from "./fetch.ts";

/** Gives a body up that nobody wants, so that its connection is free. */
export function discard(response: HttpResponse): void {
  response.body?.cancel().catch(() => undefined); // it may have ended with an error; nobody asks any more
}

/**
 * The text of a body.
 * @param max bytes, after decompression
 * @throws LimitExceededError naming `maxResponseBytes`
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
  return new LimitExceededError("maxResponseBytes", max, actual);
}
