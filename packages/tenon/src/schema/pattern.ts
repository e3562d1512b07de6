/**
 * Regular expressions of a schema, run in linear time.
 *
 * Security: a `pattern` often comes from a peer, so it never reaches the backtracking engine of the runtime: RE2 runs it, or the
 * schema is invalid (back-references, look-around). Only look-ahead at the very start, which patterns for e-mails and passwords
 * use, is supported too: `^(?=A)(?!B)C` becomes three tests from the start of the text. RE2 expands `a{1,1000}` to a thousand
 * instructions; the size is estimated first, because compiling them takes long.
 */
import { RE2JS } from "re2js";
import { LimitExceededError } from "../jsonrpc/mcp-error.ts";
import { InvalidSchemaError } from "./invalid-schema-error.ts";
import type { SchemaLimits } from "./schema-limits.ts";

/** Instructions of even the smallest pattern. */
const BASE_SIZE = 40;

export interface LinearPattern {
  /** Instructions of the compiled program: the time of a test is at most proportional to this times the length of the text. */
  readonly size: number;
  /** Whether the pattern occurs anywhere in the text. */
  test(text: string): boolean;
}

/** The patterns of one schema: each is compiled once, and together they stay below `patternSize`. */
export class PatternSet {
  readonly #limits: SchemaLimits;
  readonly #patterns = new Map<string, LinearPattern>();
  #size = 0;

  constructor(limits: SchemaLimits) {
    this.#limits = limits;
  }

  /**
   * @throws InvalidSchemaError if it is not a regular expression, or not one that runs in linear time
   * @throws LimitExceededError `patternLength`, `patternSize`
   */
  get(source: string, location: string): LinearPattern {
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    const { patternLength, patternSize } = this.#limits;
    if (source.length > patternLength) throw new LimitExceededError("patternLength", patternLength, source.length);
    this.#size += BASE_SIZE + estimateSize(source);
    if (this.#size > patternSize) throw new LimitExceededError("patternSize", patternSize, this.#size);
    const pattern = compilePattern(source, location);
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

function compilePattern(source: string, location: string): LinearPattern {
  try {
    const tests = splitLookaheads(source).map(({ expected, pattern }) => ({ expected, re: RE2JS.compile(RE2JS.translateRegExp(pattern)) }));
    const size = tests.reduce((sum, { re }) => sum + re.programSize(), 0);
    return { size, test: (text) => tests.every(({ expected, re }) => re.test(text) === expected) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidSchemaError(`the pattern cannot be run in linear time (${reason})`, location, { cause });
  }
}

interface Test {
  readonly pattern: string;
  /** Whether the text must match it, or must not. */
  readonly expected: boolean;
}

/** Splits `^(?=A)(?!B)C` into tests that must all give the expected outcome; any other pattern is one test. */
function splitLookaheads(source: string): readonly Test[] {
  const tests: Test[] = [];
  let position = source.startsWith("^") && !hasAlternatives(source) ? 1 : 0;
  while (position > 0 && (source.startsWith("(?=", position) || source.startsWith("(?!", position))) {
    const end = groupEnd(source, position);
    if (end === source.length) break; // never closed: it is refused unchanged
    tests.push({ pattern: `^(?:${source.slice(position + 3, end)})`, expected: source[position + 2] === "=" });
    position = end + 1;
  }
  tests.push({ pattern: tests.length === 0 ? source : `^(?:${source.slice(position)})`, expected: true });
  return tests;
}

/** Whether there is a `|` outside all groups. */
function hasAlternatives(source: string): boolean {
  for (let i = 0; i < source.length; i++) {
    if (source[i] === "|") return true;
    if (source[i] === "(") i = groupEnd(source, i);
    else if (source[i] === "[") i = classEnd(source, i);
    else if (source[i] === "\\") i++;
  }
  return false;
}

/** The index of the `)` that closes a group; the end of the text if none does. */
function groupEnd(source: string, start: number): number {
  let depth = 0;
  for (let i = start; i < source.length; i++) {
    if (source[i] === "(") depth++;
    else if (source[i] === ")" && --depth === 0) return i;
    else if (source[i] === "[") i = classEnd(source, i);
    else if (source[i] === "\\") i++;
  }
  return source.length;
}

const COUNTED = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;

/** An upper estimate of the instructions of a pattern: one per atom, times the counts around it. */
export function estimateSize(source: string): number {
  const outer: number[] = [];
  let group = 0;
  let atom = 0;
  for (let i = 0; i < source.length; i++) {
    const character = source[i];
    if (character === "{") {
      COUNTED.lastIndex = i;
      const count = COUNTED.exec(source);
      if (count !== null) {
        group += atom * (Math.max(Number(count[1]), Number(count[2] ?? 0), 1) * 2 - 1);
        i += count[0].length - 1;
        atom = 0;
        continue;
      }
    }
    if (character === "(") {
      outer.push(group);
      group = 0;
      atom = 0;
      continue;
    }
    if (character === ")") {
      atom = group + 2;
      group = (outer.pop() ?? 0) + atom;
      continue;
    }
    if (character === "[") i = classEnd(source, i);
    else if (character === "\\") i = escapeEnd(source, i);
    atom = 1;
    group += 1;
  }
  return outer.reduce((sum, size) => sum + size, group);
}

/** The index of the last character of an escape; `\u{1000}` is not a repetition. */
function escapeEnd(source: string, start: number): number {
  const close = "uxpP".includes(source[start + 1] ?? " ") && source[start + 2] === "{" ? source.indexOf("}", start) : -1;
  return close < 0 ? start + 1 : close;
}

/** The index of the `]` that closes a character class; the end of the text if none does. */
function classEnd(source: string, start: number): number {
  for (let i = start + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "]") return i;
  }
  return source.length;
}
