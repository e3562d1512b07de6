/** Sealing with one key, as the key ring needs it: the interface of `#aead`, which each runtime implements. */
import type { MaybePromise } from "../../../base/maybe-promise.ts";

/** AES-256-GCM with a key derived from a secret. Sealed text is base64url of nonce (12 bytes), ciphertext and tag (16 bytes). */
export interface Aead {
  /** Distinguishes keys, and reveals nothing else about them. */
  readonly id: string;
  /** @param bound data that must be the same when the text is opened */
  seal(plain: string, bound: string): MaybePromise<string>;
  /** @throws Error (or rejects) if it was not sealed with this key and `bound`, or is not in its canonical form */
  open(sealed: string, bound: string): MaybePromise<string>;
}

export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
/** Bytes of a key's id. */
export const ID_BYTES = 6;
/** The purposes of derived keys: the id, and sealing. */
export const derivationInfo = (purpose: string): { id: string; seal: string } => ({ id: `key id/${purpose}`, seal: `seal/${purpose}` });
