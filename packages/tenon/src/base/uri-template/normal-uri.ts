/**
 * The normal form of a URI (RFC 3986, section 6.2.2): two spellings of one URI have the same.
 *
 * Clients that parse URIs write them in another way than they were listed: with other characters percent-encoded, with a scheme and a
 * host in small letters, with a slash for an empty path.
 */
import { encodeReserved } from "./template-syntax.ts";

/** A scheme, and an authority. */
const BEGINNING = /^([a-z][a-z\d+.-]*:)(\/\/[^/?#]*)?/i;
const UNRESERVED = /^[A-Za-z\d._~-]$/;

/** Paths with `.` and `..` stay as they are: which resource they name is for its server to say. */
export function normalUri(uri: string): string {
  const text = normalText(uri);
  const [whole, scheme, authority] = BEGINNING.exec(text) ?? [];
  if (whole === undefined || scheme === undefined) return text;
  const rest = text.slice(whole.length);
  const isWeb = /^https?:$/i.test(scheme) && authority !== undefined;
  return scheme.toLowerCase() + inSmallLetters(authority ?? "") + (isWeb && !rest.startsWith("/") ? `/${rest}` : rest);
}

/** Whether two URIs differ only in what is percent-encoded, and in a fragment of the second. */
export function isSameEncoded(uri: string, other: string): boolean {
  const normal = normalText(uri);
  return normal === normalText(other) || normal === normalText(other.replace(/#.*$/s, ""));
}

/** The same for a URI template; what is between braces stays. */
export function normalTemplate(template: string): string {
  const parts = template.split(/(\{[^}]*\})/);
  return parts.map((part, at) => (at % 2 === 1 ? part : at === 0 ? normalBeginning(part) : normalText(part))).join("");
}

/** The beginning of a template: an empty path may go on in a variable, so that it stays empty. */
function normalBeginning(text: string): string {
  const normal = normalUri(text);
  return normal.endsWith("/") && !text.endsWith("/") ? normal.slice(0, -1) : normal;
}

/** A host is the same in capitals, a user is not. */
function inSmallLetters(authority: string): string {
  const at = authority.lastIndexOf("@") + 1;
  return authority.slice(0, at) + authority.slice(at).toLowerCase();
}

/** What a URI does not allow is percent-encoded, with capital digits; what needs no encoding is not. */
function normalText(text: string): string {
  return encodeReserved(text).replace(/%[\da-f]{2}/gi, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return UNRESERVED.test(char) ? char : code.toUpperCase();
  });
}
