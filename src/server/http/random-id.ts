/** Names that cannot be guessed: session ids, and the names of streams. */

/** 128 bits of the runtime's secure random source, as 22 characters of base64url. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
