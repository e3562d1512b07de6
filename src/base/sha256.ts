/** The SHA-256 of a text's UTF-8 form, by the web's own cryptography. */
export async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
