/**
 * One look over JSON text before `JSON.parse` sees it: how deep it nests, how many values and members it has, how long
 * its numbers are. Most messages are so small that `membersAtMost` is sure of them by counting two characters; the others
 * take `scanJson`, which is several times as slow.
 *
 * Works on text nobody has checked yet. On JSON every count is exact; on anything else they may be off, and `JSON.parse`
 * refuses the text afterwards. Time is linear in the text, whatever it holds.
 */
import type { JsonLimits } from "./json-limits.ts";
import { LimitExceededError } from "./mcp-error.ts";

/**
 * How many object members `text` has at most (its colons, those inside strings included), where that many keep all limits
 * on what it holds. Undefined where it takes a closer look.
 */
export function membersAtMost(text: string, { depth, nodes, numberLength }: JsonLimits): number | undefined {
  if (text.length > nodes) return undefined;
  let colons = 0;
  let last = -1;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    // No number goes across a colon, so one that is too long needs that much room.
    if (at - last > numberLength || ++colons >= depth) return undefined;
    last = at;
  }
  if (text.length - last > numberLength) return undefined;
  // What a container holds is inside brackets of its own, or comes after a colon.
  let levels = colons + 1;
  for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1)) if (++levels > depth) return undefined;
  return colons;
}

/**
 * Counts the object members in `text` (its colons outside strings), having made sure of the limits.
 *
 * @throws LimitExceededError for `depth`, `nodes` or `numberLength`, as soon as it is certain
 */
export function scanJson(text: string, limits: JsonLimits): number {
  const { depth: maxDepth, nodes: maxNodes, numberLength } = limits;
  let members = 0;
  let depth = 0;
  let nodes = 1;
  // A container is counted as if it had a child when it opens; that is taken back when it closes with nothing in it.
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
        if (char <= 0x39) i = endOfNumber(text, i, numberLength);
    }
    empty = false;
  }
  return members;
}

/** Where the string that began just before `start` has its closing quote; the end of the text where it has none. */
export function endOfString(text: string, start: number): number {
  let from = start;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return text.length;
    if (text.charCodeAt(quote - 1) !== 0x5c) return quote;
    // Each run of backslashes is counted once, for the one quote that follows it, so this stays linear.
    let run = quote;
    while (run > from && text.charCodeAt(run - 1) === 0x5c) run--;
    if ((quote - run) % 2 === 0) return quote;
    from = quote + 1;
  }
}

/** The last character of the number (or of what stands for one) at `start`. */
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
