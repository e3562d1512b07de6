/** JSON values as the page reads them. */
export type Json = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function equal(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** One difference between two values. */
export interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Most differences that are found. */
const MAX = 500;

/** The differences of two values by their JSON pointers; undefined means that a member is absent. */
export function differences(before: unknown, after: unknown, path = "", found: Difference[] = []): Difference[] {
  if (found.length >= MAX || equal(before, after)) return found;
  const bothLists = Array.isArray(before) && Array.isArray(after);
  if (!bothLists && !(isObject(before) && isObject(after))) {
    found.push({ path, before, after });
    return found;
  }
  const [old, now] = [before as Json, after as Json]; // lists are read by their indexes
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
    differences(old[key], now[key], `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, found);
  return found;
}

/** Characters that move the cursor, hide text or reorder it. */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u{E0000}-\u{E007F}]/gu;

/** Any value as text: a text unchanged, everything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A server's text with what is invisible in it written out, such as `\u{202e}`. */
export function visible(text: unknown): string {
  return textOf(text).replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

export function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "undefined";
}

export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

export function timeText(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}
