/**
 * Makes a peer's text safe for a terminal. Security: it removes everything that could move the cursor, hide text or reorder
 * it. Colour is used only on a terminal.
 */

import { clean } from "../../base/clean-text.ts";

export { clean, cleanLine, escapeInvisible, shorten } from "../../base/clean-text.ts";

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], cyan: [36, 39] } as const;
/** Begins and ends a mark: characters that Unicode keeps free for such uses, and a text that no peer knows. */
const [OPEN, CLOSE] = ["\uFDD0", "\uFDD1"];
const NONCE = crypto.randomUUID();
const MARK = new RegExp(`(${OPEN}${NONCE}\\d+${CLOSE})`, "u");
/** The few styles in use. */
export type Style = keyof typeof CODES;
/** Puts a style around a text, or leaves the text unchanged. */
export type Paint = (style: Style, text: string) => string;

const STYLES = Object.keys(CODES) as readonly Style[]; // its keys
const markAt = (place: number): string => `${OPEN}${NONCE}${place}${CLOSE}`;
const MARKS = Object.fromEntries(STYLES.map((style, at) => [style, { start: markAt(2 * at), end: markAt(2 * at + 1) }])) as Record<
  Style,
  { readonly start: string; readonly end: string }
>; // one for each style
const CODE_OF: ReadonlyMap<string, number> = new Map(
  STYLES.flatMap((style) => [[MARKS[style].start, CODES[style][0]] as const, [MARKS[style].end, CODES[style][1]] as const]),
);

/** The styles as marks in a text, which no clean text has: {@link coloured} replaces them. */
export const marked: Paint = (style, text) => MARKS[style].start + text + MARKS[style].end;

/** Cleans a text with marks, and replaces the marks by colour, or removes them. The only way to a terminal: whatever a peer wrote is cleaned here. */
export function coloured(text: string, paint: boolean): string {
  return text
    .split(MARK)
    .map((part) => (CODE_OF.has(part) ? (paint ? `\u001B[${CODE_OF.get(part)}m` : "") : clean(part)))
    .join("");
}

/** Whether a stream shows colour: a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function showsColour(stream: { isTTY?: boolean }, env: { readonly [name: string]: string | undefined }): boolean {
  return stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Colour for a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function painterFor(stream: { isTTY?: boolean }, env: { readonly [name: string]: string | undefined }): Paint {
  return showsColour(stream, env) ? (style, text) => `\u001B[${CODES[style][0]}m${text}\u001B[${CODES[style][1]}m` : (_style, text) => text;
}
