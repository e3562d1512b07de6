/**
 * Makes a peer's text safe for a terminal. Security: it removes everything that could move the cursor, hide text or reorder
 * it. Colour is used only on a terminal.
 */

/** Escape sequences of terminals: CSI, OSC and similar ones up to their end, and the short ones. */
// oxlint-disable-next-line no-control-regex -- it has to match control characters
const ESCAPE_SEQUENCES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/gu;
/**
 * Controls (C0 but for tab and line feed, DEL, C1), those that change the direction of text, the tag characters that spell invisible text,
 * and the characters that mark styles here.
 */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u{E0000}-\u{E007F}\u{FDD0}-\u{FDEF}]/gu;

/** Cleans a peer's text, and keeps its lines. */
export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ESCAPE_SEQUENCES, "").replace(INVISIBLE, "");
}

/**
 * Writes what {@link clean} would remove as escapes of JSON and JavaScript, so that nothing is lost. For JSON and source code that people read.
 */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escaped);
}

/** A character as an escape of JSON and JavaScript: one for each half of a pair. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
}

/** Cleans a peer's text for one line, such as a name or a description. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s+/gu, " ").trim();
}

/** Shortens to `width` characters, with an ellipsis. */
export function shorten(text: string, width: number): string {
  const characters = Array.from(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join("")}…`;
}

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
