/**
 * Bytes to lines: the framing of stdio and of any other byte stream, one message a line.
 *
 * Splits on the byte 0x0A before anything is decoded, so a character may lie across two chunks; U+2028 and a lone
 * carriage return end nothing. What a line says is `parseMessage`'s business; reading and pacing are the caller's.
 */
import { isUtf8 } from "node:buffer";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { MalformedMessage } from "../../jsonrpc/incoming.ts";
import { toMalformedMessage } from "../../jsonrpc/malformed-text.ts";
import { textOf } from "../text-bytes.ts";

/** A line as it came, or what is wrong with it where its bytes are no text. */
export type Line = string | MalformedMessage;

export const DEFAULT_MAX_LINE_BYTES: number = 10 * 1024 * 1024;
/** Chunks of fewer bytes are gathered in a buffer of this size, so that what keeping each takes is little beside it. */
const LARGE_CHUNK = 4 * 1024;
/** Bytes of a line too long in which its id is looked for. */
const HEAD = 64 * 1024;
const NEWLINE = 0x0a;
const BLANK = /^[ \t\r]*$/;

/** Cuts one stream into lines. A chunk of 4 KiB or more is kept until its last line has ended, and must stay as it is. */
export class LineSplitter {
  readonly #max: number;
  /** The first bytes of a line that has not ended, `#length` of them: these, and then what is gathered. Joined once. */
  #pieces: Buffer[] = [];
  readonly #gathered: Buffer = Buffer.allocUnsafeSlow(LARGE_CHUNK);
  #gatheredLength = 0;
  #length = 0;
  #first = true;
  #failed = false;
  /** What to answer to the line that was too long: with its id, where that can be read. */
  tooLong: MalformedMessage | undefined;

  /** @param maxLineBytes bytes of one line without its end; at most twice as much is ever held */
  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#max = maxLineBytes;
  }

  /**
   * Appends the lines that `chunk` completes to `lines`, without their line ends; blank ones are left out. A line that
   * is not UTF-8 is malformed (-32700), and the lines after it still arrive.
   *
   * @throws LimitExceededError `limits.maxLineBytes`, once, with `tooLong` set. The lines before are in `lines`; the connection has to be closed,
   *   since the rest of the stream cannot be told apart any more, and whatever else is pushed is ignored
   */
  push(chunk: Buffer, lines: Line[]): void {
    if (this.#failed) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#length === 0) {
        this.#checkLength(chunk, start, end);
        this.#emit(chunk, start, end, lines);
      } else {
        this.#keep(chunk, start, end);
        this.#emitKept(lines);
      }
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
  }

  /** The stream ended: what came after the last newline is a line too. */
  end(lines: Line[]): void {
    if (this.#length > 0) this.#emitKept(lines);
  }

  #checkLength(chunk: Buffer, start: number, end: number): void {
    if (this.#length + end - start <= this.#max) return;
    this.#failed = true;
    this.#closeGathered();
    const head = Buffer.concat([...this.#pieces, chunk.subarray(start, end)]).toString("utf8", 0, HEAD);
    this.#forget();
    const error = new LimitExceededError("limits.maxLineBytes", this.#max);
    this.tooLong = toMalformedMessage(error, head);
    throw error;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#checkLength(chunk, start, end);
    this.#length += end - start;
    const piece = chunk.subarray(start, end);
    if (this.#gatheredLength + piece.length > LARGE_CHUNK) this.#closeGathered();
    if (piece.length >= LARGE_CHUNK) this.#pieces.push(piece);
    else this.#gather(piece);
  }

  #gather(piece: Buffer): void {
    this.#gathered.set(piece, this.#gatheredLength);
    this.#gatheredLength += piece.length;
  }

  #closeGathered(): void {
    if (this.#gatheredLength > 0) this.#pieces.push(Buffer.from(this.#gathered.subarray(0, this.#gatheredLength)));
    this.#gatheredLength = 0;
  }

  #emitKept(lines: Line[]): void {
    this.#closeGathered();
    this.#emit(Buffer.concat(this.#pieces), 0, this.#length, lines);
    this.#forget();
  }

  #forget(): void {
    this.#pieces = [];
    this.#gatheredLength = 0;
    this.#length = 0;
  }

  #emit(bytes: Buffer, start: number, end: number, lines: Line[]): void {
    if (bytes[end - 1] === 0x0d) end--;
    let text = textOf(bytes, start, end);
    if (this.#first) text = text.replace(/^\uFEFF/, ""); // a byte order mark
    this.#first = false;
    if (BLANK.test(text)) return;
    // A replacement character may be the peer's own; only then is it worth decoding twice.
    if (!text.includes("\uFFFD") || isUtf8(bytes.subarray(start, end))) lines.push(text);
    else lines.push(toMalformedMessage(new McpError(ErrorCode.ParseError, "Parse error: not valid UTF-8"), text));
  }
}
