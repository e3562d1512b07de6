/**
 * Parses JSON from a peer: `JSON.parse` within limits, and without duplicate keys.
 *
 * Before `JSON.parse` reads the text, one pass over it counts its depth, its values and members, and the length of its numbers.
 * Most messages are so small that counting two characters is enough (`membersAtMost`); the others need `scanJson`, which is several
 * times as slow. For valid JSON every count is exact; for other text it may be wrong, and `JSON.parse` refuses that text
 * afterwards. Time is linear in the text.
 *
 * `JSON.parse` keeps the last of two equal keys and another parser the first, so a proxy and a server could read one text
 * differently. A text has a duplicate key exactly if it has more members than its tree has keys: two counts find it.
 */
import { endOfString } from "./end-of-string.ts";
import { keepExactNumbers } from "./exact-numbers.ts";
import { DEFAULT_JSON_LIMITS, type JsonLimits } from "./json-limits.ts";
import { ErrorCode, LimitExceededError, McpError, ProtocolViolationError } from "./mcp-error.ts";
import type { JsonObject } from "./message.ts";

/**
 * The value of a JSON text; `given` are the limits that differ from {@link DEFAULT_JSON_LIMITS}. A `__proto__` member is an own
 * property like any other.
 *
 * @throws LimitExceededError -32600 if a limit is exceeded; the text is refused before parsing if that is cheap to see
 * @throws McpError -32700 if it is not JSON
 * @throws ProtocolViolationError -32600 if an object has a duplicate key
 */
export function parseJson(text: string, given?: Partial<JsonLimits>): unknown {
  const limits = given === undefined ? DEFAULT_JSON_LIMITS : { ...DEFAULT_JSON_LIMITS, ...given };
  if (text.length > limits.size) throw new LimitExceededError("size", limits.size, text.length);
  const atMost = membersAtMost(text, limits);
  if (atMost === undefined) return parseScanned(text, scanJson(text, limits), limits);
  return parseScanned(text, { members: atMost, hasLongNumber: hasLongNumber(text) }, limits, false);
}

export interface JsonScan {
  /** The members of all objects. */
  readonly members: number;
  /** Whether a number is so long that it may be rounded. */
  readonly hasLongNumber: boolean;
}

/** The same for a text that was scanned. @param isExact false if the members may include colons inside strings. Default true */
export function parseScanned(text: string, { members, hasLongNumber: long }: JsonScan, limits: JsonLimits, isExact = true): unknown {
  const value = parse(text);
  const keys = countKeysBelow(value, members, limits.keysPerObject);
  if (keys !== members && (isExact || keys !== scanJson(text, limits).members)) {
    throw new ProtocolViolationError("Invalid JSON: an object has the same key twice");
  }
  if (long) keepExactNumbers(text, value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own message quotes the input, which must not be sent back.
    throw new McpError(ErrorCode.ParseError, "Parse error: not valid JSON");
  }
}

/** Counts the keys of all objects in `tree`; stops after `members`, since there cannot be more. */
function countKeys(tree: object, members: number, max: number): number {
  let count = 0;
  if (Array.isArray(tree)) {
    for (let i = 0; i < tree.length && count < members; i++) count += countKeysBelow(tree[i], members - count, max);
    return count;
  }
  let own = 0;
  // Without `hasOwn`, which would double the cost: if Object.prototype were polluted, the counts would differ and the text would be
  // refused. A `__proto__` member is own here, so it is counted as a member.
  for (const key in tree) {
    own++;
    const value = (tree as JsonObject)[key];
    if (typeof value === "object" && value !== null && own + count < members) count += countKeys(value, members - own - count, max);
  }
  if (own > max) throw new LimitExceededError("keysPerObject", max, own);
  return own + count;
}

function countKeysBelow(value: unknown, members: number, max: number): number {
  return typeof value === "object" && value !== null && members > 0 ? countKeys(value, members, max) : 0;
}

/**
 * The most object members that `text` can have (its colons, those inside strings included), if all limits hold for so many.
 * Undefined if the text needs a closer look.
 */
export function membersAtMost(text: string, { depth, nodes, numberLength }: JsonLimits): number | undefined {
  if (text.length > nodes) return undefined;
  let colons = 0;
  let last = -1;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    // No number spans a colon, so a number that is too long needs that much room.
    if (at - last > numberLength || ++colons >= depth) return undefined;
    last = at;
  }
  if (text.length - last > numberLength) return undefined;
  // What a container holds is inside its own brackets, or comes after a colon.
  let levels = colons + 1;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) if (++levels > depth) return undefined;
  return colons;
}

/**
 * Counts the object members in `text` (its colons outside strings) and checks the limits.
 *
 * @throws LimitExceededError for `depth`, `nodes` or `numberLength`, at the first value beyond it
 */
export function scanJson(text: string, limits: JsonLimits): JsonScan {
  const { depth: maxDepth, nodes: maxNodes, numberLength } = limits;
  let members = 0;
  let longest = 0;
  let depth = 0;
  let nodes = 1;
  // A container is counted as if it had a child when it opens; that is corrected if it closes empty.
  let empty = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char <= 0x20) continue;
    switch (char) {
      case 0x22: // "
        i = endOfString(text, i + 1);
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x2c: // ,
        if (++nodes > maxNodes) throw new LimitExceededError("nodes", maxNodes);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > maxDepth) throw new LimitExceededError("depth", maxDepth);
        nodes++;
        empty = true;
        continue;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        if (empty) nodes--;
        if (nodes > maxNodes) throw new LimitExceededError("nodes", maxNodes);
        break;
      default:
        if (char <= 0x39) {
          const start = i;
          i = endOfNumber(text, start, numberLength);
          longest = Math.max(longest, i - start + 1);
        }
    }
    empty = false;
  }
  return { members, hasLongNumber: longest >= DIGITS };
}

/** The last character of the number (or of the invalid text in its place) at `start`. */
function endOfNumber(text: string, start: number, max: number): number {
  const stop = start + max;
  let end = start + 1;
  for (; end < text.length; end++) {
    const char = text.charCodeAt(end);
    // Digits and . + - e E
    if (!((char >= 0x30 && char <= 0x39) || char === 0x2e || char === 0x2b || char === 0x2d || char === 0x65 || char === 0x45)) break;
    if (end >= stop) throw new LimitExceededError("numberLength", max);
  }
  return end - 1;
}

/** No number with fewer digits is rounded. */
const DIGITS = 16;

/** Whether a text has 16 digits in a row, also inside a string. */
export function hasLongNumber(text: string): boolean {
  for (let at = DIGITS - 1; at < text.length; at += DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let from = at;
    while (from > 0 && at - from < DIGITS && isDigit(text.charCodeAt(from - 1))) from--;
    let to = at;
    while (to - from < DIGITS && isDigit(text.charCodeAt(to))) to++;
    if (to - from >= DIGITS) return true;
  }
  return false;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** The value of a JSON text; undefined if it is not JSON. Security: an error of the parser would quote the text. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
