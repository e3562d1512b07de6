/**
 * The check of keys that seal what a program stores. A short key, or a text that a person made up, can be guessed.
 *
 * Security: no message repeats the key.
 */

/** The shortest key that is accepted, in bytes. */
export const MIN_KEY_BYTES = 32;

/** How a reader of an error makes a key, and passes it. */
export const MAKE_A_KEY = 'To make one: openssl rand -base64 32. To pass it: Buffer.from(process.env.KEY, "base64")';

/** @throws TypeError if a key is not bytes; RangeError if it is too short */
export function assertSecretKey(option: string, key: unknown): void {
  const wanted = `Option "${option}" must be a Uint8Array of at least ${MIN_KEY_BYTES} random bytes`;
  if (!(key instanceof Uint8Array)) throw new TypeError(`${wanted}, not ${kindOf(key)}. ${MAKE_A_KEY}`);
  if (key.byteLength < MIN_KEY_BYTES) throw new RangeError(`${wanted}, not ${key.byteLength}. ${MAKE_A_KEY}`);
}

function kindOf(key: unknown): string {
  if (typeof key === "string") return "a text";
  return key === null ? "null" : typeof key === "object" ? "another object" : `of type ${typeof key}`;
}
