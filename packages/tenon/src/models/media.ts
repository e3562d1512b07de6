/**
 * The kinds of media that APIs of models take. They refuse a whole conversation for a picture of another kind, or for one that is named
 * wrongly: a JPEG in a file that ends with `.png` is the most frequent one.
 */

/** The media types of pictures that all APIs take. */
const PICTURES = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

/** How the bytes begin, as base64, and what they are. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGOD/, "image/gif"],
  [/^UklGR.{6}XRUJQ/, "image/webp"],
  [/^JVBERi0/, "application/pdf"],
];

/** Names that servers use for types that have another name. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
  ["audio/x-wav", "audio/wav"],
  ["audio/wave", "audio/wav"],
  ["audio/mp3", "audio/mpeg"],
  ["application/x-pdf", "application/pdf"],
]);

export function isPicture(mimeType: string): mimeType is (typeof PICTURES)[number] {
  return PICTURES.some((type) => type === mimeType);
}

/** The media type of bytes: what their server calls them, without parameters. What is called a picture, or nothing, is what it begins as. */
export function mediaTypeOf(base64: string, named: string): string {
  const type = named.split(";", 1)[0]!.trim().toLowerCase();
  const mayBeOther = type === "" || type === "application/octet-stream" || type.startsWith("image/");
  const signature = mayBeOther ? SIGNATURES.find(([beginning]) => beginning.test(base64))?.[1] : undefined;
  return signature ?? NAMES.get(type) ?? (type || "application/octet-stream");
}
