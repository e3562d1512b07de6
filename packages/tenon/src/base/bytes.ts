/** Bytes as text: base64, base64url without padding in its one canonical form, and strict UTF-8. Works on every runtime. */

/** Bytes encoded in one call: a multiple of 3, so that the pieces can be joined; larger pieces are three times slower. */
const CHUNK = 6_144;

export function toBase64(bytes: Uint8Array): string {
  let encoded = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const part = bytes.subarray(start, start + CHUNK);
    encoded += btoa(String.fromCharCode.apply(undefined, part as unknown as number[])); // bytes are array-like
  }
  return encoded;
}

const URL_SAFE: Record<string, string> = { "+": "-", "/": "_", "=": "" };

/**
 * Encodes bytes as base64url without padding. One pass makes one flat string: an id made by several replacements would keep all its
 * pieces in memory.
 */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/[+/=]/g, (character) => URL_SAFE[character]!);
}

/** Decodes base64url; undefined if `text` is not exactly what {@link toBase64Url} would write. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  // The unused bits of the last character could be anything, and one state must not have two valid spellings.
  return toBase64Url(bytes) === text ? bytes : undefined;
}

/** Percent-decodes once; undefined if the text is not percent-encoded UTF-8. */
export function percentDecoded(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes base64, with or without padding and line breaks; undefined if it is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined; // atob refuses other characters
  }
}

/**
 * Standard base64 of a text that holds base64: of a data URL, URL-safe, without padding, or with line breaks. Undefined if it holds
 * something else.
 */
export function standardBase64(text: string): string | undefined {
  if (text.length % 4 === 0 && BASE64.test(text)) return text;
  const [, ofUrl] = /^data:[^,]*;base64,/i.test(text) ? text.split(",", 2) : [undefined, text];
  const plain = (ofUrl ?? "").replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (plain.length % 4 === 1 || !BASE64.test(plain)) return undefined;
  return plain.padEnd(Math.ceil(plain.length / 4) * 4, "=");
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const ID_BYTES = 16;
/** Random bytes for the next ids. The runtime is asked for many ids at once, because asking costs more than the rest of an id. */
const random = new Uint8Array(64 * ID_BYTES);
let used: number = random.length;

/** An id that cannot be guessed: 128 bits of the runtime's secure random source, as 22 characters of base64url. */
export function randomId(): string {
  if (used === random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const id = random.subarray(used, (used += ID_BYTES));
  const text = toBase64Url(id);
  id.fill(0); // an id is nowhere but with its owner
  return text;
}

/** The text of these bytes in order. Keeps a byte order mark. @throws TypeError if they are not valid UTF-8 */
export function decodeUtf8(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

export function utf8Length(text: string): number {
  return ASCII.test(text) ? text.length : new TextEncoder().encode(text).length;
}

// oxlint-disable-next-line no-control-regex -- all of ASCII
const ASCII = /^[\x00-\x7f]*$/;
