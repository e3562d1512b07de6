export type Json = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
