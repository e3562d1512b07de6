/** Converts between text and bytes in Node's fastest way. Callers check for valid UTF-8. */
import { isAscii } from "node:buffer";
import type { JsonText } from "../jsonrpc/message.ts";

/** Bytes from which on a check for ASCII pays: most long texts are ASCII, which is copied and not decoded. */
const LONG = 4096;

/** Decodes bytes, with U+FFFD in place of invalid UTF-8. Keeps a byte order mark. */
export function textOf(bytes: Buffer, start = 0, end: number = bytes.length): string {
  const ascii = end - start >= LONG && isAscii(bytes.subarray(start, end));
  return bytes.toString(ascii ? "latin1" : "utf8", start, end);
}

/** The end of the last character that is whole, by the first bytes of UTF-8. Bytes that are not UTF-8 may end anywhere. */
export function endOfWhole(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    const byte = bytes[at]!;
    if (byte >= 0xc0) return at; // begins a character of several bytes, which may be whole: the next part has it then
    if (byte < 0x80) break;
  }
  return bytes.length;
}

/**
 * The bytes of ready-made JSON, made once and kept beside it: a long list is written for many requests, and encoding it costs
 * more than writing it. For large texts only, because the bytes are held in memory as long as the text.
 */
export function bytesOf(json: JsonText): Uint8Array {
  return (json.bytes ??= Buffer.from(json.text));
}
