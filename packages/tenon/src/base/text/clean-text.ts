/** Text of a peer for people: without what could move a cursor, hide text or reorder it. */

/** Escape sequences of terminals: CSI, OSC and similar ones up to their end, and the short ones. */
// oxlint-disable-next-line no-control-regex -- it has to match control characters
const ESCAPE_SEQUENCES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[ -/]*[0-~])|\u009B[0-?]*[ -/]*[@-~]/gu;
/**
 * Controls (C0 but for tab and line feed, DEL, C1), those that change the direction of text, the tag characters that spell invisible text,
 * and the characters that mark styles here.
 */
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Bidi_Control}\u{E0000}-\u{E007F}\u{FDD0}-\u{FDEF}]/gu;

/** Characters that show nothing, or an empty place that is not a space. Joiners and selectors stay, because scripts and emoji need them. */
const EMPTY = /[\u00AD\u115F\u1160\u180E\u200B\u2060-\u2064\u206A-\u206F\u2800\u3164\uFEFF\uFFA0]|\u034F|\u17B4|\u17B5/gu;

/** Cleans a peer's text, and keeps its lines. */
export function clean(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(ESCAPE_SEQUENCES, "").replace(INVISIBLE, "");
}

/**
 * Writes what {@link clean} would remove, and what shows nothing, as escapes of JSON and JavaScript, so that nothing is lost. For JSON, source
 * code and questions that people read.
 */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, escaped).replace(EMPTY, escaped);
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
