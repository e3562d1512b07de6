/**
 * Bytes to lines: the framing of stdio and of any other byte stream, one message a line.
 *
 * Splits on the byte 0x0A before anything is decoded, so a character may lie across two chunks; U+2028 and a lone
 * carriage return end nothing. Knows about text and nothing about JSON; reading and pacing are the caller's.
 */
import type { MalformedMessage } from "./incoming.ts";
import { ErrorCode, LimitExceededError, McpError } from "./mcp-error.ts";
import { malformedText } from "./malformed-text.ts";

/** Decodes UTF-8, with U+FFFD for what is not UTF-8, and keeps a byte order mark. */
export type DecodeUtf8 = (bytes: Uint8Array, start: number, end: number) => string;

export interface LineSplitterOptions {
  /** Default: a shared `TextDecoder`. A platform may have something faster for short lines. */
  readonly decode?: DecodeUtf8;
  /** Bytes of one line without its end. Default 10 MiB. At most twice as much is ever held. */
  readonly maxLineBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 10 * 1024 * 1024;
/** A buffer that grew beyond this is given back after its line. */
const KEPT_BUFFER_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const EMPTY = new Uint8Array(0);

/** Cuts one stream into lines. Keeps nothing of a chunk it was given: its buffer may be used again at once. */
export class LineSplitter {
  readonly #decode: DecodeUtf8;
  readonly #max: number;
  /** The first bytes of a line that has not ended: `#length` of them. Grows by doubling, so the cost stays linear. */
  #buffer: Uint8Array = EMPTY;
  #length = 0;
  #first = true;
  #failed = false;

  constructor(options: LineSplitterOptions = {}) {
    this.#decode = options.decode ?? ((bytes, start, end) => lenient.decode(bytes.subarray(start, end)));
    this.#max = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  }

  /**
   * Appends the lines that `chunk` completes to `lines`, without their line ends; blank ones are left out. A line that
   * is not UTF-8 becomes a `MalformedMessage` (-32700), and the lines after it still arrive.
   *
   * @throws LimitExceededError `maxLineBytes`, once. The lines before are in `lines`; the connection has to be closed,
   *   since the rest of the stream cannot be told apart any more, and whatever else is pushed is ignored
   */
  push(chunk: Uint8Array, lines: (string | MalformedMessage)[]): void {
    if (this.#failed) return;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#length === 0) {
        this.#checkLength(end - start);
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
  end(lines: (string | MalformedMessage)[]): void {
    if (this.#length > 0) this.#emitKept(lines);
  }

  #checkLength(length: number): void {
    if (length <= this.#max) return;
    this.#failed = true;
    this.#buffer = EMPTY;
    this.#length = 0;
    throw new LimitExceededError("maxLineBytes", this.#max);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const length = this.#length + end - start;
    this.#checkLength(length);
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(Math.max(length, this.#buffer.length * 2, 1024), this.#max));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(chunk.subarray(start, end), this.#length);
    this.#length = length;
  }

  #emitKept(lines: (string | MalformedMessage)[]): void {
    this.#emit(this.#buffer, 0, this.#length, lines);
    this.#length = 0;
    if (this.#buffer.length > KEPT_BUFFER_BYTES) this.#buffer = EMPTY;
  }

  #emit(bytes: Uint8Array, start: number, end: number, lines: (string | MalformedMessage)[]): void {
    if (this.#first) {
      this.#first = false;
      if (startsWithBom(bytes, start, end)) start += 3;
    }
    if (bytes[end - 1] === 0x0d) end--;
    if (isBlank(bytes, start, end)) return;
    const text = this.#decode(bytes, start, end);
    // A replacement character may be the peer's own; only then is it worth decoding twice.
    if (!text.includes("\uFFFD") || isUtf8(bytes.subarray(start, end))) lines.push(text);
    else lines.push(malformedText(new McpError(ErrorCode.ParseError, "Parse error: not valid UTF-8"), text));
  }
}

function startsWithBom(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i];
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
