/** Decodes bytes that must be valid UTF-8: invalid bytes are refused and not replaced. Works on every runtime. */

/** The text of these bytes in order. Keeps a byte order mark. @throws TypeError if they are not UTF-8 */
export function decodeUtf8(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
