/** Finds out what bytes are by their beginning. */
// oxlint-disable no-control-regex -- it has to match bytes

/** The bytes of base64; undefined if the text is not base64. */
export function bytesOf(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(String(data)), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const SIGNS: readonly (readonly [type: string, sign: RegExp])[] = [
  ["image/png", /^\u0089PNG\r\n\u001A\n/],
  ["image/jpeg", /^\u00FF\u00D8\u00FF/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/svg+xml", /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]*?-->\s*)?<svg[\s>]/],
  ["audio/wav", /^RIFF[\s\S]{4}WAVE/],
  ["audio/mpeg", /^(?:ID3|\u00FF[\u00FB\u00F3\u00F2])/],
  ["audio/ogg", /^OggS/],
  ["audio/flac", /^fLaC/],
];

/** The media type of a picture or a sound; undefined for anything else. A browser runs no script in a picture. */
export function mediaType(bytes: Uint8Array): string | undefined {
  const beginning = String.fromCharCode(...bytes.subarray(0, 512));
  return SIGNS.find(([, sign]) => sign.test(beginning))?.[0];
}
