/** Hashes of texts: a short one to compare texts, and a cryptographic one. */
import { toBase64Url } from "./bytes.ts";

/**
 * Seven letters and digits: FNV-1a over UTF-16 code units, 32 bits. Security: anyone can find two texts with the same hash.
 * @param basis the start value: another one gives other hashes
 */
export function shortHash(text: string, basis = 0x811c9dc5): string {
  let value = basis;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(36).padStart(7, "0");
}

/** The SHA-256 of a text's UTF-8 form as base64url, with Web Crypto. */
export async function hashed(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

/** Compares in a time that says nothing of where they differ. */
export function isSameHash(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

/** The SHA-256 of bytes, as 64 lower-case hexadecimal digits. */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)); // never shared memory here
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
