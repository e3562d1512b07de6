/** Ids that cannot be guessed: for sessions, streams and tokens. */
import { toBase64Url } from "./base64.ts";

/** 128 bits of the runtime's secure random source, as 22 characters of base64url. */
export function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(16)));
}
