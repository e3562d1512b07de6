/**
 * Parses a message of many megabytes in turns, so that other calls go on meanwhile.
 *
 * The limits allow so few values that only strings can make a text that long. So the long strings are taken out part by part, what is left is parsed
 * as any message, and the strings are put back. A message has the same value, or the same error, as if it were parsed at once.
 */
import { randomId } from "../base/bytes.ts";
import { nextTurn } from "../base/turns.ts";
import { endOfString } from "./end-of-string.ts";
import type { Incoming } from "./incoming.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { toMalformedMessage } from "./malformed-text.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import type { JsonObject } from "./message.ts";
import { checkValue } from "./parse.ts";
import { parseScanned, scanJson } from "./parse-json.ts";

/** Characters from which on a text is parsed in turns. */
export const LONG_TEXT: number = 4 * 2 ** 20;
/** Characters that are read in one turn: a few milliseconds. */
const PART = 2 ** 20;
/** Characters from which on a string is taken out: so few that what is left, with as many strings as a message may have, is parsed in one turn. */
const LONG_STRING = 64;
/** Objects and lists into which strings are put back in one turn. */
const CONTAINERS = 4_000;

/** The same as `parseMessage`, for a text of more than {@link LONG_TEXT} characters or the parts of one. Never rejects. */
export async function parseLongMessage(text: string | readonly string[], limits: Partial<JsonLimits> = {}): Promise<Incoming> {
  const parts = typeof text === "string" ? [text] : text;
  try {
    const all = { ...DEFAULT_JSON_LIMITS, ...limits };
    const { size, batch } = all;
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length > size) throw new LimitExceededError("size", size, length);
    const strings = new LongStrings();
    for (const part of parts) {
      for (let at = 0; at < part.length; at += PART) {
        await nextTurn();
        strings.read(part.slice(at, at + PART));
      }
    }
    await nextTurn();
    const { rest } = strings;
    const scan = scanJson(rest, all);
    await nextTurn();
    return checkValue(await strings.putBack(parseScanned(rest, scan, all)), batch);
  } catch (error) {
    const known = McpError.isMcpError(error) ? error : new McpError(ErrorCode.ParseError, "Parse error", undefined, { cause: error });
    return toMalformedMessage(known, parts[0]!);
  }
}

/** Begins the string that replaces a long one. A peer cannot know it. Made when first used: some platforms have no random values before. */
let mark: string | undefined;

class LongStrings {
  /** The text so far, with a short string in place of each long one: a piece of each part that was read. */
  readonly #pieces: string[] = [];
  /** What the next piece is made of. */
  #piece: string[] = [];
  readonly #mark: string = (mark ??= `tenon-string-${randomId()}:`);
  readonly #values: string[] = [];
  /** The string that has begun; undefined between strings. */
  #open: OpenString | undefined;
  /** The beginning of an escape that the next part ends. */
  #escape = "";

  read(part: string): void {
    const begun = this.#escape;
    // Only the escape is joined: V8 copies a joined text of a megabyte again with each search in it.
    const at = begun === "" ? 0 : lengthOfEscape(begun + part.slice(0, 1)) - begun.length;
    if (at > 0) this.#read(begun + part.slice(0, at));
    this.#read(part.slice(at));
    this.#pieces.push(this.#piece.join(""));
    this.#piece = [];
  }

  get rest(): string {
    return this.#pieces.join("");
  }

  #read(text: string): void {
    if (text !== "") this.#escape = "";
    for (let at = 0; at < text.length;)
      at = this.#open === undefined ? this.#readOutside(text, at) : this.#readString(this.#open, text, at);
  }

  #readOutside(text: string, at: number): number {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    this.#piece.push(text.slice(at, end));
    if (quote >= 0) this.#open = new OpenString();
    return end + 1;
  }

  #readString(open: OpenString, text: string, at: number): number {
    const end = endOfString(text, at);
    const cut = end < text.length ? end : startOfOpenEscape(text, at);
    open.add(text.slice(at, cut));
    if (end < text.length) this.#close(open);
    else this.#escape = text.slice(cut);
    return end + 1;
  }

  #close(open: OpenString): void {
    this.#open = undefined;
    const value = open.end();
    this.#piece.push(value === undefined ? `"${open.written}"` : `"${this.#mark}${this.#values.push(value) - 1}"`);
  }

  /** The tree with the long strings in their places. A text that ends within a string has failed before. */
  async putBack(tree: unknown): Promise<unknown> {
    const whole = [tree];
    const open: (unknown[] | JsonObject)[] = [whole];
    for (let done = 0; open.length > 0; done++) {
      if (done % CONTAINERS === 0) await nextTurn();
      const container = open.pop()!;
      if (Array.isArray(container)) for (let i = 0; i < container.length; i++) container[i] = this.#whole(container[i], open);
      else this.#putBackMembers(container, open);
    }
    return whole[0];
  }

  /** The value of a member or an item. What it contains follows later. */
  #whole(value: unknown, open: (unknown[] | JsonObject)[]): unknown {
    if (typeof value === "string") return this.#isMarked(value) ? this.#values[Number(value.slice(this.#mark.length))] : value;
    if (typeof value === "object" && value !== null) open.push(value as unknown[] | JsonObject); // JSON has no others
    return value;
  }

  #isMarked(text: string): boolean {
    return text.startsWith(this.#mark);
  }

  #putBackMembers(object: JsonObject, open: (unknown[] | JsonObject)[]): void {
    let hasLongKeys = false;
    const keys = Object.keys(object);
    for (const key of keys) {
      object[key] = this.#whole(object[key], open); // also for `__proto__`, which is an own property
      hasLongKeys ||= this.#isMarked(key);
    }
    if (hasLongKeys) this.#rename(object, keys);
  }

  #rename(object: JsonObject, keys: readonly string[]): void {
    const members = keys.map((key) => [this.#whole(key, []) as string, object[key]] as const); // a key stays a string
    for (const key of keys) Reflect.deleteProperty(object, key);
    for (const [key, value] of members) {
      if (Object.hasOwn(object, key)) throw new ProtocolViolationError("Invalid JSON: an object has the same key twice");
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    }
  }
}

/** A string whose end is not read yet. It is decoded part by part once it is long. */
class OpenString {
  /** What was read and is not decoded, without the quotes. */
  written = "";
  #value: string | undefined;

  add(written: string): void {
    this.written += written;
    if (this.#value !== undefined || this.written.length > LONG_STRING) this.#decode();
  }

  /** Its value if it is long. */
  end(): string | undefined {
    return this.#value;
  }

  /** @throws SyntaxError if it has a character or an escape that JSON does not have */
  #decode(): void {
    this.#value = (this.#value ?? "") + (JSON.parse(`"${this.written}"`) as string); // the text of a string
    this.written = "";
  }
}

/** The length of an escape that begins with these characters. */
function lengthOfEscape(begun: string): number {
  return begun[1] === "u" ? 6 : 2;
}

/** Where the escape begins that a text ends within; the end of the text if it ends within none. */
function startOfOpenEscape(text: string, from: number): number {
  const { length } = text;
  for (let at = length - 1; at >= Math.max(from, length - 5); at--) {
    if (text[at] !== "\\") continue;
    let run = at;
    while (run > from && text[run - 1] === "\\") run--;
    const isEscape = (at - run) % 2 === 0; // the last of an odd number of backslashes
    return isEscape && length - at < lengthOfEscape(text.slice(at, at + 2)) ? at : length;
  }
  return length;
}
