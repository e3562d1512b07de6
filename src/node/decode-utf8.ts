/** UTF-8 to text, at what it costs to copy it where it is ASCII: most of what is long is. */
import { isAscii } from "node:buffer";

/** Bytes from which a look at all of them is made up for by what comes after it. */
const LONG = 4096;

/** The text of these bytes, with U+FFFD for what is not UTF-8. Keeps a byte order mark. */
export function decodeUtf8(bytes: Buffer, start = 0, end: number = bytes.length): string {
  const ascii = end - start >= LONG && isAscii(bytes.subarray(start, end));
  return bytes.toString(ascii ? "latin1" : "utf8", start, end);
}
