/**
 * Makes a peer's text safe for a terminal. Security: it removes everything that could move the cursor, hide text or reorder
 * it. Colour is used only on a terminal.
 */

/** Escape sequences of terminals: CSI, OSC and similar ones up to their end, and the short ones. */
// oxlint-disable-next-line no-control-regex -- it has to match control characters
const ESCAPE_SEQUENCES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/gu;
/**
 * Controls (C0 but for tab and line feed, DEL, C1), those that change the direction of text, and the tag characters that spell
 * invisible text.
 */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u{E0000}-\u{E007F}]/gu;

/** Cleans a peer's text, and keeps its lines. */
export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ESCAPE_SEQUENCES, "").replace(INVISIBLE, "");
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
/** The few styles in use. */
export type Style = keyof typeof CODES;
/** Puts a style around a text, or leaves the text unchanged. */
export type Paint = (style: Style, text: string) => string;

/** Colour for a terminal, unless `NO_COLOR` is set (no-color.org) or the terminal is dumb. */
export function painterFor(stream: { isTTY?: boolean }, env: { readonly [name: string]: string | undefined }): Paint {
  const coloured = stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  return coloured ? (style, text) => `\u001B[${CODES[style][0]}m${text}\u001B[${CODES[style][1]}m` : (_style, text) => text;
}
