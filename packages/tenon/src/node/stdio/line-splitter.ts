/**
 * Splits bytes into lines, one message a line: the framing of stdio and of other byte streams.
 *
 * It splits on the byte 0x0A before decoding, so a character may span two chunks. U+2028 and a lone carriage return do not
 * end a line. `parseMessage` parses lines; the caller reads and paces.
 */
import { isUtf8 } from "node:buffer";
import { GatheredBytes } from "../../base/gathered-bytes.ts";
import { ErrorCode, LimitExceededError, McpError } from "../../jsonrpc/mcp-error.ts";
import type { MalformedMessage } from "../../jsonrpc/incoming.ts";
import { toMalformedMessage } from "../../jsonrpc/malformed-text.ts";
import { textOf } from "../text-bytes.ts";

/** A line, or an error if its bytes are not text. */
export type Line = string | MalformedMessage;

/** Where lines go. */
interface Lines {
  push(line: Line): unknown;
}

export const DEFAULT_MAX_LINE_BYTES: number = 10 * 1024 * 1024;
/** Bytes of a too long line that are searched for its id. */
const HEAD = 64 * 1024;
const NEWLINE = 0x0a;
const BLANK = /^[ \t\r]*$/;

/** Splits one stream into lines. It keeps chunks of 4 KiB or more until their last line has ended, so they must not be changed. */
export class LineSplitter {
  readonly #max: number;
  /** What has arrived of a line that has not ended. */
  #begun: GatheredBytes | undefined;
  #first = true;
  #failed = false;
  /** The malformed message of the line that was too long, with its id if that can be read. */
  tooLong: MalformedMessage | undefined;

  /** @param maxLineBytes most bytes of one line without its end; at most twice as much is held */
  constructor(maxLineBytes: number = DEFAULT_MAX_LINE_BYTES) {
    this.#max = maxLineBytes;
  }

  /**
   * Appends the lines that `chunk` completes to `lines`, without their line ends; blank ones are left out. A line that
   * is not UTF-8 is malformed (-32700), and the lines after it still arrive.
   *
   * @throws LimitExceededError `limits.maxLineBytes`, once, with `tooLong` set. The lines before it are in `lines`. The
   * connection has to be closed, because the rest of the stream cannot be split; further chunks are ignored
   */
  push(chunk: Buffer, lines: Lines): void {
    if (this.#failed) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#begun === undefined) {
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

  /** Ends the stream. Bytes after the last newline are a line too. */
  end(lines: Lines): void {
    if (this.#begun !== undefined) this.#emitKept(lines);
  }

  #checkLength(chunk: Buffer, start: number, end: number): void {
    const { length = 0 } = this.#begun ?? {};
    if (length + end - start <= this.#max) return;
    this.#failed = true;
    const head = Buffer.concat([...(this.#begun?.pieces() ?? []), chunk.subarray(start, end)]).toString("utf8", 0, HEAD);
    this.#begun = undefined;
    const error = new LimitExceededError("limits.maxLineBytes", this.#max);
    this.tooLong = toMalformedMessage(error, head);
    throw error;
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    this.#checkLength(chunk, start, end);
    (this.#begun ??= new GatheredBytes()).add(chunk.subarray(start, end));
  }

  #emitKept(lines: Lines): void {
    const line = Buffer.concat(this.#begun!.pieces()); // it has begun
    this.#begun = undefined;
    this.#emit(line, 0, line.length, lines);
  }

  #emit(bytes: Buffer, start: number, end: number, lines: Lines): void {
    if (bytes[end - 1] === 0x0d) end--;
    let text = textOf(bytes, start, end);
    if (this.#first) text = text.replace(/^\uFEFF/, ""); // a byte order mark
    this.#first = false;
    if (BLANK.test(text)) return;
    // The peer may have sent a replacement character itself, so the bytes are checked.
    if (!text.includes("\uFFFD") || isUtf8(bytes.subarray(start, end))) lines.push(text);
    else lines.push(toMalformedMessage(new McpError(ErrorCode.ParseError, "Parse error: not valid UTF-8"), text));
  }
}
