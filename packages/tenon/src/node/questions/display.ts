/**
 * Makes a peer's text safe for a terminal. Security: it removes everything that could move the cursor, hide text or reorder
 * it. Colour is used only on a terminal.
 */

import { clean } from "../../base/text/clean-text.ts";

export { clean, cleanLine, escapeInvisible, shorten } from "../../base/text/clean-text.ts";

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], yellow: [33, 39], cyan: [36, 39] } as const;
/** Begins and ends a mark: characters that Unicode keeps free for such uses, and a text that no peer knows. */
const [OPEN, CLOSE] = ["\uFDD0", "\uFDD1"];
export type Style = keyof typeof CODES;
/** Puts a style around a text, or leaves the text unchanged. */
export type Paint = (style: Style, text: string) => string;

const STYLES = Object.keys(CODES) as readonly Style[]; // its keys

interface Marks {
  readonly of: Readonly<Record<Style, { readonly start: string; readonly end: string }>>;
  readonly codes: ReadonlyMap<string, number>;
  readonly pattern: RegExp;
}

/** Made when a text is first shown: a random text loads the cryptography of Node, which a server on stdio does without. */
let marks: Marks | undefined;

function makeMarks(): Marks {
  const nonce = crypto.randomUUID();
  const markAt = (place: number): string => `${OPEN}${nonce}${place}${CLOSE}`;
  const each = STYLES.map((style, at) => ({ style, start: markAt(2 * at), end: markAt(2 * at + 1) }));
  return {
    of: Object.fromEntries(each.map(({ style, start, end }) => [style, { start, end }])) as Marks["of"], // one for each style
    codes: new Map(each.flatMap(({ style, start, end }) => [[start, CODES[style][0]] as const, [end, CODES[style][1]] as const])),
    pattern: new RegExp(`(${OPEN}${nonce}\\d+${CLOSE})`, "u"),
  };
}

/** The styles as marks in a text, which no clean text has: {@link coloured} replaces them. */
export const marked: Paint = (style, text) => {
  const { start, end } = (marks ??= makeMarks()).of[style];
  return start + text + end;
};

/** Cleans a text with marks, and replaces the marks by colour, or removes them. The only way to a terminal: whatever a peer wrote is cleaned here. */
export function coloured(text: string, paint: boolean): string {
  const { pattern, codes } = (marks ??= makeMarks());
  return text
    .split(pattern)
    .map((part) => (codes.has(part) ? (paint ? `\u001B[${codes.get(part)}m` : "") : clean(part)))
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
