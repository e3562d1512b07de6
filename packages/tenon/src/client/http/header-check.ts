/**
 * Checks that a header can be sent: what HTTP does not allow in a name or a value would fail in the runtime, with an error that looks
 * like a server that cannot be reached.
 */

/** A token (RFC 9110, section 5.6.2). */
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/i;
/** What a value must not have: control characters except the tab, and characters above one byte. White space around it is removed. */
const UNSENDABLE = /[^\t\x20-\x7E\x80-\xFF]/;

/** A `TypeError` whose request was not sent. */
export class UnsendableHeaderError extends TypeError {
  override name = "TypeError";
}

/** @throws UnsendableHeaderError that names the header, and never its value, which may be a secret */
export function assertSendable(name: string, value: unknown): void {
  const refuse = (why: string): TypeError => new UnsendableHeaderError(`The header ${JSON.stringify(name)} cannot be sent: ${why}`);
  if (!NAME.test(name)) throw refuse("its name has a character that no name of a header may have");
  if (typeof value !== "string") throw refuse(`its value must be a text, not ${Array.isArray(value) ? "a list" : `a ${typeof value}`}`);
  const found = UNSENDABLE.exec(value.trim())?.[0];
  if (found !== undefined) throw refuse(`its value has the character ${nameOf(found)}, which no header may have`);
}

function nameOf(char: string): string {
  const code = `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  return char === "\n" || char === "\r" ? `${code} (a line break)` : code;
}
