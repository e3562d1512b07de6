/** Bytes as text: base64, and base64url without padding in its one canonical form. */

/** Bytes encoded in one call: a multiple of 3, so that the pieces can be joined; larger ones are three times slower. */
const CHUNK = 6_144;

/** Without line breaks. */
export function toBase64(bytes: Uint8Array): string {
  let encoded = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const part = bytes.subarray(start, start + CHUNK);
    encoded += btoa(String.fromCharCode.apply(undefined, part as unknown as number[])); // bytes are array-like
  }
  return encoded;
}

const URL_SAFE: Record<string, string> = { "+": "-", "/": "_", "=": "" };

/** One pass, for one text: pieced together by several, an id that is kept would keep all its pieces. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/[+/=]/g, (character) => URL_SAFE[character]!);
}

/** The bytes behind `text`; undefined where it is not what {@link toBase64Url} would have written. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  // Bits that no byte uses can be anything: two spellings of one state must not both be good.
  return toBase64Url(bytes) === text ? bytes : undefined;
}
