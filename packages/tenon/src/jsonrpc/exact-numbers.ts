/**
 * Numbers that JavaScript cannot hold, such as the integer 1234567890123456789, as the peer wrote them.
 *
 * `JSON.parse` rounds them. Their value is still a number, so that handlers and schemas see what they always saw; beside it the object or
 * list that holds the number keeps the text, and {@link stringifyExact} writes the text. So what is only passed on, by a gateway or an
 * echo, does not change. A text without 16 digits in a row costs one look at each 16th character, and nothing when it is written.
 */
import { randomId } from "../base/bytes.ts";
import { endOfString } from "./end-of-string.ts";

type Key = string | number;
type Container = Record<Key, unknown>;

/** The texts of the numbers in an object or a list, by key. */
const textsOf = new WeakMap<object, ReadonlyMap<Key, string>>();
/** Begins each number in a text that is not written yet. A peer cannot know it. Made when first used: some platforms have no random values before. */
let knownMark: string | undefined;

function mark(): string {
  return (knownMark ??= `tenon-number-${randomId()}:`);
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

/** Keeps the texts of the numbers in `tree`, the value of the JSON text, that `JSON.parse` has rounded. */
export function keepExactNumbers(text: string, tree: unknown): void {
  let marked = "";
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x22) at = endOfString(text, at + 1);
    if (char !== 0x2d && !isDigit(char)) continue;
    NUMBER.lastIndex = at;
    const [number = ""] = NUMBER.exec(text) ?? [];
    if (isRounded(number)) {
      marked += `${text.slice(done, at)}"${mark()}${number}"`;
      done = at + number.length;
    }
    at += Math.max(number.length - 1, 0);
  }
  if (done > 0) keepBelow(tree, JSON.parse(marked + text.slice(done)));
}

const NUMBER = /[\d.eE+-]+/y;

/** Whether a number has so many digits that JavaScript would write it in another way. */
function isRounded(number: string): boolean {
  return /\d{16}/.test(number) && String(Number(number)) !== number;
}

export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (/\d{16}/.test(text)) keepExactNumbers(text, value);
  return value;
}

/** Compares the tree with the one that has marked texts in place of rounded numbers. */
function keepBelow(tree: unknown, marked: unknown): void {
  if (typeof tree !== "object" || tree === null) return;
  const [numbers, texts] = [tree as Container, marked as Container]; // both were parsed from one text
  const found = new Map<Key, string>();
  for (const key of Object.keys(numbers)) {
    const text = texts[key];
    if (typeof numbers[key] === "number" && typeof text === "string") found.set(key, text.slice(mark().length));
    else keepBelow(numbers[key], text);
  }
  if (found.size > 0) keep(tree, found);
}

/** Whether this process has seen a number that JavaScript cannot hold: only then is a text looked through when it is written. */
export let hasExactNumbers = false;

function keep(container: object, texts: ReadonlyMap<Key, string>): void {
  hasExactNumbers = true;
  textsOf.set(container, texts);
  Object.defineProperty(container, "toJSON", { value: exactToJson, enumerable: false, writable: true, configurable: true });
}

/** Gives a copy of an object or a list the texts of the original. */
export function withExactNumbersOf<Copy extends object>(original: object, copy: Copy): Copy {
  const texts = textsOf.get(original);
  if (texts !== undefined) keep(copy, texts);
  return copy;
}

/** The same for a copy that has other keys. */
export function withRenamedNumbersOf<Copy extends object>(original: object, copy: Copy, keyOf: (key: string) => string): Copy {
  const texts = textsOf.get(original);
  if (texts !== undefined) keep(copy, new Map([...texts].map(([key, text]) => [keyOf(String(key)), text])));
  return copy;
}

/** The text of a number as the peer wrote it; undefined if the number is what the peer wrote. */
export function exactText(container: object, key: Key): string | undefined {
  const text = textsOf.get(container)?.get(String(key));
  return text !== undefined && Number(text) === (container as Container)[key] ? text : undefined; // it may have been changed since
}

/** Whether the `toJSON` of a value is the one that this file gives to holders of exact numbers. */
export function isExactToJson(toJson: unknown): boolean {
  return toJson === exactToJson;
}

// ---- writing ----

let isWriting = false;
let hasMarks = false;

function exactToJson(this: object): unknown {
  const copy = (Array.isArray(this) ? [...(this as unknown[])] : { ...this }) as Container;
  if (!isWriting) return copy;
  for (const key of textsOf.get(this)?.keys() ?? []) {
    const text = exactText(this, key);
    if (text === undefined) continue;
    copy[key] = mark() + text;
    hasMarks = true;
  }
  return copy;
}

/** A number that is written with these digits. It stands in values that are only written. */
export class NumberText {
  readonly text: string;

  /** @param text a number as JSON writes it */
  constructor(text: string) {
    this.text = text;
    hasExactNumbers = true;
  }

  toJSON(): string | number {
    if (!isWriting) return Number(this.text);
    hasMarks = true;
    return mark() + this.text;
  }
}

/** `JSON.stringify`, with numbers as the peer wrote them. @throws TypeError as `JSON.stringify` does */
export function stringifyExact(value: unknown, space?: number): string {
  const outer = isWriting;
  isWriting = true;
  if (!outer) hasMarks = false; // the last text may have failed
  try {
    const text = JSON.stringify(value, undefined, space);
    if (!hasMarks || outer) return text;
    hasMarks = false;
    return text.replaceAll(new RegExp(`"${mark()}([^"]*)"`, "g"), "$1");
  } finally {
    isWriting = outer;
  }
}

/**
 * One text for equal values of a peer, with numbers as the peer wrote them. Security: what is bound to the arguments of a call is bound to this text,
 * because a handler may use digits that a rounded number has lost.
 */
export function canonicalExactJson(value: unknown): string {
  return stringifyExact(sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof NumberText) return value;
  const copy = Array.isArray(value)
    ? value.map(sorted)
    : Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted((value as Container)[key])]), // read by its own keys
      );
  return withExactNumbersOf(value, copy);
}

/**
 * A value in which numbers that JavaScript cannot hold are replaced; the value itself if it has none.
 * @param replace returns what stands in place of a number; `text` is undefined if only `number` is known, which may be rounded
 */
export function replaceInexact(
  value: unknown,
  replace: (text: string | undefined, path: readonly Key[], number: number) => unknown,
  path: readonly Key[] = [],
): unknown {
  if (typeof value !== "object" || value === null) return value;
  const container = value as Container; // its members are read by their own keys
  const members = Object.keys(container).map((key): [string, unknown] => {
    const member = container[key];
    const text = exactText(value, key);
    const isInexact = text !== undefined || (Number.isInteger(member) && !Number.isSafeInteger(member));
    return [key, isInexact ? replace(text, [...path, key], Number(member)) : replaceInexact(member, replace, [...path, key])];
  });
  if (members.every(([key, member]) => member === container[key])) return value;
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** A value with decimal texts in place of the integers that numbers cannot hold, for readers that would round them. */
export function withIntegersAsText(value: unknown): unknown {
  return replaceInexact(value, (text, _path, number) => (/^-?\d+$/.test(text ?? String(number)) ? (text ?? String(number)) : number));
}
